#include "index/name_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "files/names.h"
#include "index/dictionary.h"

namespace notesdb {
namespace {

constexpr std::uint32_t free_slot = 0;
constexpr std::uint32_t removed_slot = 1;
constexpr std::size_t min_slots = 64;

std::uint32_t hash_of(std::string_view id) {
  const std::uint64_t hash = hash_text(folded_id(id), 0);
  return static_cast<std::uint32_t>(hash >> 32U) | 2U;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace

// Folding is expensive and most ids are ASCII, where it is not needed.
std::string folded_id(std::string_view id) {
  if (!is_ascii(id)) return folded_name(id);
  std::string folded(id);
  std::ranges::transform(folded, folded.begin(), to_lower);
  return folded;
}

FoldedId::FoldedId(std::string_view id) : folded_(folded_id(id)) {}

bool FoldedId::is_one_name_with(std::string_view other) const {
  if (!is_ascii(other)) return folded_name(other) == folded_;
  return std::equal(
      other.begin(), other.end(), folded_.begin(), folded_.end(), [](char letter, char folded) {
        return to_lower(letter) == folded;
      });
}

NameIndex::NameIndex(std::size_t expected)
    : slots_(std::bit_ceil(std::max(min_slots, expected * 2)), free_slot) {}

void NameIndex::add(std::string_view id) {
  if (used_ * 4 >= slots_.size() * 3) {
    const auto before = std::exchange(slots_, {});
    const auto kept = static_cast<std::size_t>(
        std::ranges::count_if(before, [](std::uint32_t slot) { return slot > removed_slot; }));
    slots_.assign(std::bit_ceil(std::max(min_slots, kept * 3)), free_slot);
    used_ = 0;
    for (const std::uint32_t slot : before)
      if (slot > removed_slot) insert(slot);
  }
  insert(hash_of(id));
}

void NameIndex::insert(std::uint32_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (hash >> 2U) & mask;
  while (slots_[at] != free_slot)
    at = (at + 1) & mask;
  slots_[at] = hash;
  ++used_;
}

void NameIndex::remove(std::string_view id) {
  const std::uint32_t hash = hash_of(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (hash >> 2U) & mask; slots_[at] != free_slot; at = (at + 1) & mask) {
    if (slots_[at] != hash) continue;
    slots_[at] = removed_slot;
    return;
  }
}

bool NameIndex::may_have(std::string_view id) const {
  const std::uint32_t hash = hash_of(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (hash >> 2U) & mask; slots_[at] != free_slot; at = (at + 1) & mask)
    if (slots_[at] == hash) return true;
  return false;
}

}  // namespace notesdb
