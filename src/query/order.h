// Order: what rows are sorted by.
//
//   {"field": "due", "direction": "desc"}, or a list of them
//
// Numbers numerically, booleans false before true, dates by calendar, everything else by code
// point, `_id` in natural order. Missing and null come before present, `desc` reverses. Ties are
// broken by the natural order of row ids, whatever the direction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "query/field.h"
#include "query/page.h"
#include "query/table.h"

namespace notesdb {

enum class Direction { ascending, descending };

struct SortBy {
  Field field;
  Direction direction = Direction::ascending;
  friend bool operator==(const SortBy&, const SortBy&) = default;
};

using Order = std::vector<SortBy>;  // empty: natural order of row ids

// "asc" or "desc"; anything else is refused, naming the nearest.
Result<Direction> parse_direction(const Value& given);

// One sort key before its field is looked up: a text names the field, a map has `field` and
// perhaps `direction`.
struct SortKeyText {
  std::string field;
  Direction direction = Direction::ascending;
};
// Null and blank text are no sort. Fails with all that is wrong at once.
Result<std::vector<SortKeyText>> parse_sort(const Value& given);
Result<Order> parse_order(const Value& given, const Schema& schema);

// The page of `matches` (row numbers in natural order) as the order has it.
Result<std::vector<std::uint32_t>> sorted_page(const Table& table,
                                               const Order& order,
                                               std::vector<std::uint32_t> matches,
                                               Page page);

// For a table that keeps ranks: the rank of every code of a column, 0 for missing and null; codes
// whose values compare the same share a rank.
std::vector<std::uint32_t> rank_values(const Table& table,
                                       const Schema& schema,
                                       std::size_t column);

}  // namespace notesdb
