// RelationCache: which rows name a row, remembered from one question to the next.
//
//   ann     the codes of "ann", "[[people/ann|Ann]]", ["ben", "ann"]
//
// A process that stays reads each value of a relation column once; asking who names a row is then a
// look-up, and a look along the column for these codes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/column.h"
#include "core/value.h"
#include "query/table.h"

namespace notesdb {

// The ids of the rows that a relation's value names.
std::vector<std::string> related_rows(const Column& column, const Value& value);

class RelationCache {
 public:
  // Whether few values are left to be read.
  bool is_nearly_of(const Table& table, std::size_t column) const;
  // The codes of the values that name this row.
  std::vector<std::uint32_t> codes_naming(const Table& table,
                                          const Column& relation,
                                          std::size_t column,
                                          const std::string& row_id);

 private:
  void take_new(const Table& table, const Column& relation, std::size_t column);

  std::unordered_map<std::string, std::vector<std::uint32_t>> codes_;  // by the row they name
  std::uint32_t known_ = 0;                                            // codes up to this one
};

}  // namespace notesdb
