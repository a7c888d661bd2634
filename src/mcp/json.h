// Json: what travels over MCP: nlohmann's value with the order of its keys kept, since answers are
// read by models and people, and a new row's fields stay in the order in which they were given.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

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

}  // namespace notesdb::mcp
