// Front matter: where a note's fields are in its bytes, and where its body begins.
//
//   EF BB BF            a byte order mark, if there is one
//   ---                 the opening fence, spaces may follow
//   title: A story      the fields, bytes [begin, end)
//   ---                 the closing fence; `...` closes too
//                       one blank line sets the body off and belongs to neither
//   The text.           the body, from body_begin
//
// Blank lines may stand above the opening fence, if it is closed and a key stands behind it. A `.md`
// file without fences is all body. A `.yaml` file is all fields: a
// leading `---` line and a trailing `...` line stay outside of them. Fences of `+++` hold TOML.
// A JSON object may stand in place of fences, and is told from a body that begins with a brace by
// its first key. Heads in a form that is not ours are named, so that nobody writes a second head
// above them; for their readers they are body.
//
// Only positions are found here, in one pass without allocation; nothing is looked at twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "yaml/node.h"

namespace notesdb {

// What the name of a file says about its bytes.
enum class NoteFormat { markdown, yaml };

// yaml for names that end in `.yaml` or `.yml`.
NoteFormat note_format_of(std::string_view file_name);

enum class FrontMatterKind {
  none,  // no fence: all body
  yaml,
  toml,
  json,     // an object at the first byte, braces included
  foreign,  // a form of other programs, which is neither read nor written: `form` names it
};

// "\n" or "\r\n", as the first line of the text ends; "\n" for a text of one line.
std::string_view line_ending_of(std::string_view text);

struct FrontMatter {
  static constexpr std::size_t max_size = max_fields_size;

  FrontMatterKind kind = FrontMatterKind::none;
  std::string_view form;  // of a foreign head: "`;;;` fences", as a message names it
  bool has_bom = false;
  bool has_separator = false;    // one blank line between closing fence and body
  std::size_t begin = 0;         // of the fields
  std::size_t end = 0;           // after the line end of the last field's line
  std::size_t fence_end = 0;     // after the line end of the closing fence
  std::size_t body_begin = 0;    // fence_end, and the separator where there is one
  std::uint32_t first_line = 1;  // of the file, where the fields begin
};

// Fails with malformed_file, naming the line, when the opening fence is never closed, when a
// `.yaml` file holds a second document, and when the fields are larger than max_size.
Result<FrontMatter> split_front_matter(std::string_view bytes, NoteFormat format);

}  // namespace notesdb
