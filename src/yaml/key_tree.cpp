#include "yaml/key_tree.h"

namespace notesdb {
namespace {

constexpr std::size_t max_branches = 4096;
constexpr std::size_t max_siblings = 16;

}  // namespace

bool KeyTree::take(std::string_view key, bool is_plain) {
  if (place_ == no_place || branches_.empty()) return false;
  for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
    Branch& branch = branches_[next];
    if (branch.key != key) continue;
    branch.is_plain |= is_plain;
    place_ = next;
    return true;
  }
  return false;
}

void KeyTree::add(std::string_view key, bool is_plain) {
  if (place_ == no_place) return;
  if (branches_.empty()) branches_.emplace_back();
  std::size_t siblings = 0;
  std::uint32_t last = 0;
  for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
    last = next;
    ++siblings;
  }
  if (branches_.size() == max_branches || siblings == max_siblings) {
    place_ = no_place;
    return;
  }
  const auto added = static_cast<std::uint32_t>(branches_.size());
  (last == 0 ? branches_[place_].first : branches_[last].sibling) = added;
  Branch& branch = branches_.emplace_back();
  branch.key = key;
  branch.is_plain = is_plain;
  place_ = added;
}

}  // namespace notesdb
