// Search text: what a person types, as the full-text engine wants it.
//
//   lantern "open house" catal* -dropped
//   title:shelf (oak OR "old elm") -status:sold
//
// All words, phrases and beginnings must occur, in any order and any field; what follows a '-' must
// not. OR between two of them asks for either side, as far as the next OR or parenthesis. A field's
// name and a ':' ask for what follows in that field alone: `title` (what the row is called), `body`,
// a column of a database that is searched. A name that is no column is looked for both ways, as the
// key of a field and as a word of a text, for `https://` and `see:` are text. Nothing else has a
// meaning: no text is a syntax error.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

// Between field_begin and field_end stands the key of the field whose text follows, in the index and
// in what is asked of it.
inline constexpr char field_begin = '\x1E';
inline constexpr char field_end = '\x1F';
std::string field_mark(std::string_view key);

// What must occur, in reading order, each once.
struct WantedText {
  std::string text;
  bool is_prefix = false;
  friend bool operator==(const WantedText&, const WantedText&) = default;
};

struct SearchText {
  std::string expression;          // MATCH of SQLite's FTS5, over title, fields and body
  std::vector<WantedText> wanted;  // to be shown where they stand
};

// `columns` are those of the databases that are searched, case-folded. Fails with invalid_argument
// where nothing is asked for, or only what must not occur.
Result<SearchText> parse_search_text(std::string_view text,
                                     const std::set<std::string, std::less<>>& columns);

// Whether columns can make a difference to what the text asks for.
bool names_fields(std::string_view text);

}  // namespace notesdb
