// Spellings: a field's value as the bytes that stand for it in its file, and what they mean.
//
//   "p" open          plain text                "d" a \"b\"     double quoted, as it stands
//   "l" p:anna p:ben  a list of scalars         "n" ...         anything else, as a Node
//   "e"               nothing                   "s" it''s       single quoted, as it stands
//
// The first byte, the mark, says how to read the others. A spelling holds all that a value depends
// on and nothing of the place where it stood.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/end_words.h"
#include "note/node.h"
#include "note/scalar.h"
#include "note/scanner.h"

namespace notesdb {

// A spelling in two parts, so that a text can be looked up where it lies.
struct Spelling {
  char mark = 'e';
  std::string_view text;

  static Spelling of(std::string_view bytes) { return {bytes.front(), bytes.substr(1)}; }
  friend bool operator==(const Spelling& a, const Spelling& b) {
    return a.mark == b.mark && is_same_text(a.text, b.text);
  }
};

// Both lie in the text that was scanned, or in `scratch`.
Spelling spelling_of(const Scanner& scanner, const ScannedField& field, std::string& scratch);
Spelling spelling_of(const Node& node, std::string& scratch);

Reading read_spelling(const Column& column, const Spelling& spelling);
// read_spelling(...).fits(), without making the value.
bool spelling_fits(const Column& column, const Spelling& spelling);
// A value that is what stands in the file, letter for letter, with nothing to convert: a text; or a
// word for a boolean or a whole number that is spelled the same everywhere: true, -17.
struct PlainValue {
  std::string_view spelling;
  bool is_text = true;
};
// Nothing where the value must be made, by read_spelling().
std::optional<PlainValue> plain_value(const Column& column, const Spelling& spelling);

}  // namespace notesdb
