// Order: what rows are sorted by.
//
//   {"field": "due", "direction": "desc"}   "due"   "due desc"   "due:desc"   "-due"
//   "status:options"                        in the order of the options of a select
//
// or a list of them; in one text they may stand apart with commas.
//
// Numbers numerically, booleans false before true, dates by calendar, everything else by code
// point, `_id` in natural order. Missing and null come before present, `desc` reverses. Ties are
// broken by the natural order of row ids, whatever the direction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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

// One sort key before its field is looked up.
struct SortKeyText {
  std::string field;
  Direction direction = Direction::ascending;
  bool by_options = false;
};
// Null and blank text are no sort. A name that is sorted by wins over what else its text could
// mean: `is_name` tells. Fails with all that is wrong at once.
using IsName = std::function<bool(std::string_view)>;
Result<std::vector<SortKeyText>> parse_sort(const Value& given, const IsName& is_name);
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
