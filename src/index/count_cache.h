// Kept counts: how many rows have each value of a column, remembered from one question to the next.
//
// A process that stays counts a column once; a row that changes is taken off one value and added to
// another. So `count by status` costs a look at each status, whatever the number of rows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "query/table.h"

namespace notesdb {

class CountCache {
 public:
  // By code, 0 for missing; of all codes that the table has now (Table::counts).
  std::span<const std::uint32_t> of(const Table& table, std::size_t column);

  // As ResultCache has them.
  void take_out(const Table& table, std::span<const std::uint32_t> rows);
  void put_in(const Table& table, std::span<const std::uint32_t> rows);
  void forget() { counts_.clear(); }

  bool empty() const { return counts_.empty(); }
  std::size_t memory() const;

 private:
  std::map<std::size_t, std::vector<std::uint32_t>> counts_;  // by column, then by code
};

}  // namespace notesdb
