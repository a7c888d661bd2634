// Filter: which rows a question is about, parsed and bound to a schema.
//
//   [{"field": "status", "operator": "eq", "value": "open"},
//    {"any": [{"field": "due", "operator": "lt", "value": "today+7d"},
//             {"field": "due", "operator": "is_empty"}]}]
//
// The list is ANDed, an `any` element is true when one of its triples is; a single object is a
// list of one. docs/filters.md has the operators. Nothing fails open: whatever is not understood
// is refused, all of it at once, with the valid choices and the nearest one.
#pragma once

#include <string>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "core/schema.h"
#include "query/field.h"
#include "query/operand.h"
#include "query/operators.h"

namespace notesdb {

enum class Fit { fits, does_not_fit };

// One triple.
struct Condition {
  Field field;
  const Operator* operation = nullptr;
  Operand operand;

  // Whether a value, as the field reads it, passes; missing is null.
  bool holds(const Value& value, Fit fit) const;
  friend bool operator==(const Condition&, const Condition&) = default;
};

// True when one of its conditions is.
using AnyOf = std::vector<Condition>;

struct Filter {
  std::vector<AnyOf> all;
  bool empty() const { return all.empty(); }
  friend bool operator==(const Filter&, const Filter&) = default;
};

// Null and blank text are no filter. Relative dates count from `clock`.
Result<Filter> parse_filter(const Value& given, const Schema& schema, const Clock& clock);

// What stands beside an answer: values that the filter compares options with and that are none of
// them. Empty if there are none.
std::string unknown_options_notice(const Filter& filter);

}  // namespace notesdb
