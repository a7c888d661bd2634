// Conversion: a value of one column as a column of another type holds it, if nothing is lost.
//
//   "7" -> number 7          "yes", "on", 1 -> checkbox true      "April 7, 2005" -> date
//   2005-04-07 "a, b" -> multi-select   [a] -> text a, [a, b] -> "a, b"      2026/1/31 -> date
//   2026-01-31
//
// What could mean two things (06/08/2017) does not convert. Pure.
#pragma once

#include <optional>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"

namespace notesdb {

bool has_options(ColumnType type);

// Empty where it does not convert. A value that the new column reads as it stands comes back so;
// writing it then changes nothing.
std::optional<Value> convert(const Node& node, const Column& from, const Column& to);

}  // namespace notesdb
