#include "database/key_order.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace notesdb {
namespace {

// The lists of keys that rows have, the most usual first.
std::vector<const std::vector<std::string>*> lists_by_use(const RowTable& table) {
  const KeyLists& lists = table.key_lists();
  std::vector<std::uint32_t> uses(lists.size() + std::size_t{1});
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    ++uses[table.facts(row).keys];
  std::vector<std::pair<std::uint32_t, const std::vector<std::string>*>> used;
  for (std::uint32_t list = 1; list < uses.size(); ++list) {
    if (uses[list] > 0) used.emplace_back(uses[list], &lists.keys(list));
  }
  std::sort(used.begin(), used.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  std::vector<const std::vector<std::string>*> sorted;
  for (const auto& [count, keys] : used)
    sorted.push_back(keys);
  return sorted;
}

}  // namespace

bool adds_key(const Note& note, const Map& fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const Member& field) {
    return !field.value.is_null() && note.find_field(field.key) == nullptr;
  });
}

// Rows leave keys out, so one list alone seldom knows them all: the most usual list leads, and a
// key that it lacks goes after the key that it follows elsewhere.
std::vector<std::string> usual_key_order(const RowTable& table) {
  std::vector<std::string> order;
  for (const auto* keys : lists_by_use(table)) {
    auto behind = order.begin();
    for (const std::string& key : *keys) {
      const auto place = std::find(order.begin(), order.end(), key);
      behind = (place == order.end() ? order.insert(behind, key) : place) + 1;
    }
  }
  return order;
}

}  // namespace notesdb
