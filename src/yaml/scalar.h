// Scalars: what a value in a file means, decided by the column first and by the text second.
//
// Without a column (an undeclared key, a json column) plain text follows the YAML 1.2 core
// rules and nothing more, and of those only what loses nothing when it becomes a number: `yes`,
// `012`, `+1`, `1.`, `.5`, `1_000`, `.inf` and numbers of more than 15 digits stay text.
//
//   written        text column   number column   json column, undeclared
//   yes            "yes"         does not fit    "yes"
//   012            "012"         12              "012"
//   1.10           "1.10"        1.1             1.1
//   2026-01-01     the same      does not fit    "2026-01-01"
//   "7"            "7"           7               "7"
//   null, ~        null          null            null
//
// A value that does not fit its column is returned as it stands, with what is wrong beside it.
#pragma once

#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"

namespace notesdb {

struct Reading {
  Value value;
  std::string problem;  // one sentence without the place; empty: the value fits
  bool fits() const { return problem.empty(); }
};

// The value of a column's field. Never fails: what does not fit stands there as it is.
Reading read_as(const Column& column, const Node& node);
// The value of a plain or quoted scalar, as read_as gives it for a node of it: for callers that
// hold the text alone. `style` is plain, single_quoted or double_quoted.
Reading read_as(const Column& column, NodeStyle style, std::string_view text);

// A number that a caller gives as text, spelled plainly or as the column's files spell it. Does not
// fit where it may be either of two: 1.234 beside a decimal comma.
Reading read_given_number(const Column& column, std::string_view text);

// Whether read_as() says that such a scalar, or a list of scalars, fits: without making a value.
bool scalar_fits(const Column& column, NodeStyle style, std::string_view text);
bool list_fits(const Column& column);

// The value of an undeclared key or of a json column.
Value read_untyped(const Node& node);
Value read_untyped_plain(std::string_view text);

// Whether plain text means null: nothing, ~, null, Null, NULL.
bool is_null_text(std::string_view text);

}  // namespace notesdb
