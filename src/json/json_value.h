// JSON as notesdb speaks it: text to Value and back, losing nothing.
//
//   parse_json   strict JSON (RFC 8259): one value, at most 64 levels deep, no key twice
//   to_json      compact, valid UTF-8 always; a whole number beyond 2^53 is written as text, since
//                most readers of JSON would round it; .inf and .nan are texts too
//
// Both are pure and keep the order of keys.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

// Fails with invalid_argument, saying where: not JSON, too deep, a duplicate key. A whole number
// that does not fit 64 bits comes back as text, digit for digit.
Result<Value> parse_json(std::string_view text);

std::string to_json(const Value& value);
// The same for eyes: two spaces of indentation, a member a line.
std::string to_indented_json(const Value& value);
// The same text, appended: for answers that are written row by row.
void append_json(std::string& out, const Value& value);

// For interfaces that hold nlohmann's trees already. The same rules in both directions; the depth was
// the parser's to check.
Value from_json_tree(const nlohmann::ordered_json& tree);
nlohmann::ordered_json to_json_tree(const Value& value);

}  // namespace notesdb
