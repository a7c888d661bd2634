// Cell: one value as the text of one cell of a table, and back.
//
//   text       as it is           list   a,b   or, where that would read back as another, JSON
//   number     7, 1.5             map    JSON
//   checkbox   true, false        null   nothing
//
// For a column that holds it, value_of_cell(column, text_of_cell(value)) is the value again.
#pragma once

#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"

namespace notesdb {

std::string text_of_cell(const Value& value);

// In a column of lists `a, b` is two items, spaces around them not theirs; in a json column JSON is
// what it says and anything else is text. Everywhere else, and without a column, it is the text.
Value value_of_cell(const Column* column, const std::string& text);

// The value as a cell can hold it: in a json column what would read back as another value becomes
// its JSON.
Value for_cell(const Column& column, const Value& value);

// Whether a spreadsheet would run the text as a formula: it begins with = + - @ or a control
// character and is not a number.
bool runs_in_spreadsheet(std::string_view text);

}  // namespace notesdb
