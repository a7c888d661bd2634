#include "index/key_lists.h"

#include <algorithm>

namespace notesdb {
namespace {

// One text for a list of keys: a length in four bytes before each key.
void spell(std::span<const std::string_view> keys, std::string& out) {
  out.clear();
  for (const std::string_view key : keys) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      out += static_cast<char>((key.size() >> shift) & 0xFFU);
    }
    out += key;
  }
}

}  // namespace

std::uint32_t KeyLists::add(std::span<const std::string_view> keys) {
  spell(keys, scratch_);
  // Most notes have the keys of the one before.
  if (last_ != nullptr && last_->first == scratch_) return last_->second;
  const auto found = codes_.find(scratch_);
  if (found != codes_.end()) {
    last_ = &*found;
    return found->second;
  }
  List list;
  for (const std::string_view key : keys) {
    list.keys.emplace_back(key);
    list.columns.push_back(column_of(key));
  }
  lists_.push_back(std::move(list));
  codes_.emplace(scratch_, size());
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
