// Where: the filters of the command line, one text each.
//
//   status = done    estimate>=3    tags contains backend    due is_empty
//   "due date" < today    status in open,done    tags = [a, b]    title = "a = b"
//
// Field, operator (a name, its words apart, or = != > >= < <= ~), value. A field or a value may
// stand in double or single quotes; a list in brackets, or after `in` with commas alone.
#pragma once

#include <string_view>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

// The triple {field, operator, value} for parse_filter, which checks it; there is no value where
// none is written. Fails if there is no operator or a quote is not closed.
Result<Value> parse_where(std::string_view text);

}  // namespace notesdb
