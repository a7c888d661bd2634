#include "index/key_lists.h"

#include <algorithm>

#include "index/dictionary.h"

namespace notesdb {
namespace {

std::uint64_t hash_of(std::span<const std::string_view> keys) {
  std::uint64_t hash = keys.size();
  for (const std::string_view key : keys)
    hash = hash_text(key, hash);
  return hash;
}

}  // namespace

std::uint32_t KeyLists::add(std::span<const std::string_view> keys) {
  const std::uint64_t hash = hash_of(keys);
  const auto [first, end] = codes_.equal_range(hash);
  for (auto at = first; at != end; ++at) {
    if (std::ranges::equal(this->keys(at->second), keys)) return at->second;
  }
  List list;
  for (const std::string_view key : keys) {
    list.keys.emplace_back(key);
    list.columns.push_back(column_of(key));
  }
  lists_.push_back(std::move(list));
  codes_.emplace(hash, size());
  return size();
}

std::vector<std::uint32_t> KeyLists::absorb(const KeyLists& other) {
  std::vector<std::uint32_t> codes(other.size() + 1);
  for (std::uint32_t code = 1; code <= other.size(); ++code) {
    const std::vector<std::string_view> keys(other.keys(code).begin(), other.keys(code).end());
    codes[code] = add(keys);
  }
  return codes;
}

std::uint32_t KeyLists::column_of(std::string_view key) const {
  const auto found = std::find(column_ids_.begin(), column_ids_.end(), key);
  return found == column_ids_.end() ? no_column
                                    : static_cast<std::uint32_t>(found - column_ids_.begin());
}

}  // namespace notesdb
