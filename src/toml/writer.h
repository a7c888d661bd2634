// TOML writer: a value as TOML spells it, in the style of what it replaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"

namespace notesdb {

// Bare where it may be, else between double quotes.
std::string write_toml_key(std::string_view key);

// `before` is the value that it replaces as it is spelled, empty where there is none: quotes, lines
// of an array, the items that stay and dates without quotes remain as they were. In a date column a
// date is a TOML date. Empty for what TOML cannot hold or what would lose something: null, and an
// array over lines with comments in it.
std::optional<std::string> write_toml(const Value& value,
                                      const Column* column,
                                      std::string_view before,
                                      std::string_view line_ending);

}  // namespace notesdb
