// RankIndex: the order of a column's values, remembered from one question to the next.
//
// A process that stays sorts a column once; a value that an edit adds is put in its place. So a
// sort by a column of 100,000 different titles costs a look-up a row, and a value is found among
// them by halving.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/schema.h"
#include "query/comparison.h"
#include "query/table.h"

namespace notesdb {

class RankIndex {
 public:
  // Whether of() has little to do or nothing.
  bool is_nearly_of(const Table& table, std::size_t column) const;
  // By code, 0 for missing and null; of all codes that the table has now (Table::ranks).
  std::span<const std::uint32_t> of(const Table& table, const Schema& schema, std::size_t column);
  // The rank of a value like this one; 0 if the column has none. After of().
  std::uint32_t find(const Table& table, const Field& field, const Rank& wanted) const;

 private:
  void rank_all(const Table& table, const Schema& schema, std::size_t column);
  void add(const Table& table, const Field& field, std::uint32_t code);
  std::uint32_t place_of(const FieldValues& values, const Rank& wanted) const;

  std::vector<std::uint32_t> ranks_;   // by code
  std::vector<std::uint32_t> values_;  // a code of each rank from 1 on
};

}  // namespace notesdb
