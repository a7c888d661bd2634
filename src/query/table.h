// Table: the rows of one database as columns, the way queries read them.
//
//   column status   codes   2 1 1 0 2 ...     one per row; 0: the row has no such field
//                   values  1 "open"  2 "done"  3 null ...
//
// Every column is dictionary coded, so that a question is answered once per value and looked up
// once per row. A null that stands in a file is a value like any other; missing is code 0.
//
// Promises of a table: columns are numbered as in the schema it belongs to; rows are in natural
// order of their ids (compare_natural), so a row's number is its rank; nothing changes while a
// query runs. Two codes may hold equal values. database/ implements it over the index, tests over
// vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

class Table {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  virtual ~Table() = default;

  virtual std::uint32_t row_count() const = 0;

  // One code per row.
  virtual std::span<const std::uint32_t> codes(std::size_t column) const = 0;
  // The values of a column have the codes 1 to value_count.
  virtual std::uint32_t value_count(std::size_t column) const = 0;
  virtual Value value(std::size_t column, std::uint32_t code) const = 0;
  // Whether a value is one of its column's type; what is not never matches an ordered comparison.
  virtual bool fits(std::size_t column, std::uint32_t code) const = 0;
  // The rank of each code, with 0 for missing, as rank_values (query/order.h) computes it; empty
  // unless the table keeps it from one query to the next.
  virtual std::span<const std::uint32_t> ranks(std::size_t /*column*/) const { return {}; }

  // How many rows have each code, 0 for missing; empty unless the table keeps count.
  virtual std::span<const std::uint32_t> counts(std::size_t /*column*/) const { return {}; }

  virtual std::string_view row_id(std::uint32_t row) const = 0;
  // From the workspace root, with '/'.
  virtual std::string path(std::uint32_t row) const = 0;
  // Seconds since 1970, UTC.
  virtual std::int64_t modified(std::uint32_t row) const = 0;
  // Read on demand, for rows that pass everything else; a query fails with its error.
  virtual Result<std::string> body(std::uint32_t row) const = 0;
};

}  // namespace notesdb
