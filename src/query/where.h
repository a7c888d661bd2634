// Where: the filters of the command line, one text each.
//
//   status = done    estimate>=3    tags contains backend    due is empty    due is not null
//   "due date" < today    status in open,done    tags = [a, b]    due between today and today+7d
//   status = open and (urgent = true or due < today)
//
// Field, operator (a name, its words apart, or = == != <> > >= < <= ~), value. A field or a value
// may stand in double or single quotes; a list in brackets, or after `in` with commas alone. `and`
// binds tighter than `or`; a value that holds one of them between spaces is quoted.
#pragma once

#include <string_view>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

// The filters for parse_filter, which checks them: triples {field, operator, value} and groups
// {any: [...]}, of which all must hold. There is no value where none is written. Fails if there is
// no operator, a quote is not closed, or an unquoted value holds `and` or `or`.
Result<List> parse_where(std::string_view text);

// Filters in which such texts may stand, as elements of the list or in place of it: the same as
// triples and groups. Everything else stays, for parse_filter to judge.
Result<Value> without_typed_filters(const Value& given);

}  // namespace notesdb
