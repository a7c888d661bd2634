#include "database/taken_ids.h"

#include <algorithm>

namespace notesdb {

// A file that cannot be read has its id too. `take` says whether it has seen enough.
template <typename Take>
void TakenIds::each(const Take& take) const {
  for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
    if (take(table_.row_id(row))) return;
  }
  for (const std::string& id : table_.unreadable_ids()) {
    if (take(id)) return;
  }
}

std::int64_t TakenIds::highest_counter(std::string_view prefix) const {
  std::int64_t highest = 0;
  each([&](std::string_view id) {
    highest = std::max(highest, counter_of(id, prefix).value_or(0));
    return false;
  });
  return highest;
}

std::string TakenIds::like(std::string_view id, std::string_view but) const {
  if (id != but && table_.find(id)) return std::string(id);
  const FoldedId wanted(id);
  std::string found;
  each([&](std::string_view other) {
    if (other != but && wanted.is_one_name_with(other)) found = other;
    return !found.empty();
  });
  return found;
}

}  // namespace notesdb
