// JSON front matter: the members of an object at the top of a file, with the places of their parts.
//
//   {                       from the first byte, or below a byte order mark and blank lines
//     "title": "Dune",      a member: the bytes of its key and of its value
//     "price": 1.50
//   }                       after it only white space up to the end of the line
//
// Strict JSON only: a comment, a comma too many or single quotes are a problem with its place.
// Pure; note/note.cpp makes fields of it and changes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"
#include "yaml/reader.h"

namespace notesdb {

struct JsonMember {
  std::string key;  // decoded
  Node node;        // texts are quoted nodes, numbers plain as they are spelled
  Span key_place;   // with its quotes
  Span value;
};

// Without a problem: all members, and where the object ends.
struct JsonObject {
  std::vector<JsonMember> members;
  std::size_t end = 0;  // after the closing brace
  std::optional<YamlProblem> problem;
};

// Whether a text begins as a JSON object does: a brace and a quoted key with its colon, or `{}`
// alone on its lines. `{{< note >}}` and `{% raw %}` do not.
bool begins_json_object(std::string_view text);

// Reads the object that begins at `begin`, on line `line` of the file; positions are of `bytes`.
JsonObject read_json_object(std::string_view bytes, std::size_t begin, std::uint32_t line);

// A value as JSON, as its column writes it. A list or map takes the lines and the spaces of
// `before`, the value that it replaces (empty if there is none).
std::string write_json_value(const Value& value, const Column* column, std::string_view before);

}  // namespace notesdb
