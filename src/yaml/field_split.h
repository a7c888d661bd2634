// Field split: the top-level keys of a front matter told apart without reading their values.
//
// A field is a key at column 0 with the lines below it that are indented, space, comments or
// `- ` items. That holds for all but a few valid texts and for most that are not valid, so one
// broken value costs one field. A quoted value goes on to its closing quote whatever its lines look
// like, as for every reader of YAML, where nothing but a comment follows that quote. Any other line
// at column 0 is stray: it belongs to the field above it if a quote or bracket is still open there,
// else to nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

struct FieldText {
  std::string key;  // decoded; empty for a unparsed line
  bool stray = false;
  std::size_t begin = 0;  // whole lines, up to the next field
  std::size_t end = 0;
  std::size_t key_end = 0;     // after the colon
  std::uint32_t line = 0;      // from 0
  std::size_t unindented = 0;  // the first line at column 0 within quotes or brackets; 0: none
};

std::vector<FieldText> split_fields(std::string_view text);

// After the closing quote or bracket of the value that begins at `begin` with a quote or an
// opening bracket; empty if it is never closed.
std::optional<std::size_t> end_of_enclosed(std::string_view text, std::size_t begin);

// Where the parts of a field's value are, as NoteField has them; all offsets into the text.
struct ValueParts {
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
  std::size_t block_begin = 0;
  std::size_t block_end = 0;
  std::size_t lines_end = 0;  // after the last line that is the field's own
};

ValueParts find_value_parts(std::string_view text, const FieldText& field);

}  // namespace notesdb
