// Json: what travels over MCP: nlohmann's value with the order of its keys kept, since answers are
// read by models and people, and a new row's fields stay in the order in which they were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/result.h"
#include "json/json_value.h"

namespace notesdb::mcp {

using Json = nlohmann::ordered_json;

// Compact, on one line. Bytes that are not UTF-8 become U+FFFD; it never throws.
inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The member of an object, or a null pointer if there is none or `json` is not an object.
inline const Json* find(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto it = json.find(key);
  return it == json.end() ? nullptr : &*it;
}

// The member's text; empty if there is none or it is not a text.
inline std::string text_of(const Json& json, const char* key) {
  const Json* member = find(json, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

// A message as it arrived, read by parse_json's rules. Never throws.
inline constexpr JsonLimits message_limits{.bytes = std::size_t{16} << 20};
Result<Json> read_json(std::string_view text, const JsonLimits& limits = message_limits);

}  // namespace notesdb::mcp
