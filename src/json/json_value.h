// JSON as notesdb speaks it: text to Value and back, losing nothing.
//
//   parse_json   strict JSON (RFC 8259): one value, bounded in length and depth, no key twice
//   to_json      compact, valid UTF-8 always; a whole number beyond 2^53 is written as text, since
//                most readers of JSON would round it; .inf and .nan are texts too
//
// Both are pure and keep the order of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

struct JsonLimits {
  std::size_t bytes = SIZE_MAX;
  std::size_t depth = 64;
};

// Fails with invalid_argument, saying where: not JSON, a duplicate key (two readers would disagree
// about it), a number that is not finite; with limit_exceeded where it is too long or too deep. A
// whole number that does not fit 64 bits comes back as text, digit for digit. Needs no stack for depth.
Result<Value> parse_json(std::string_view text, const JsonLimits& limits = {});

std::string to_json(const Value& value);
// The same for eyes: two spaces of indentation, a member a line.
std::string to_indented_json(const Value& value);
// The same text, appended: for answers that are written row by row.
void append_json(std::string& out, const Value& value);

// Whole numbers beyond 2^53 in a tree: as text for readers that would round them, or as they are.
enum class LargeNumbers { text, exact };

// For interfaces that hold nlohmann's trees. The depth was the parser's to check.
Value from_json_tree(const nlohmann::ordered_json& tree);
nlohmann::ordered_json to_json_tree(const Value& value, LargeNumbers large = LargeNumbers::text);

}  // namespace notesdb
