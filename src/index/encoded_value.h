// EncodedValues: a field's value as the bytes that stand for it in its file, and what they mean.
//
//   "p" open          plain text                "d" a \"b\"     double quoted, as it stands
//   "l" p:anna p:ben  a list of scalars         "n" ...         anything else, as a Node
//   "e"               nothing                   "s" it''s       single quoted, as it stands
//
// The first byte, the mark, says how to read the others. A encoded holds all that a value depends
// on and nothing of the place where it stood.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/text.h"
#include "yaml/node.h"
#include "yaml/scalar.h"
#include "yaml/scanner.h"

namespace notesdb {

// A encoded in two parts, so that a text can be looked up where it lies.
struct EncodedValue {
  char mark = 'e';
  std::string_view text;

  static EncodedValue of(std::string_view bytes) { return {bytes.front(), bytes.substr(1)}; }
  friend bool operator==(const EncodedValue& a, const EncodedValue& b) {
    return a.mark == b.mark && is_same_text(a.text, b.text);
  }
};

// Both lie in the text that was scanned, or in `scratch`.
EncodedValue encoded_value_of(const Scanner& scanner,
                              const ScannedField& field,
                              std::string& scratch);
EncodedValue encoded_value_of(const Node& node, std::string& scratch);

Reading read_encoded_value(const Column& column, const EncodedValue& encoded);
// read_encoded_value(...).fits(), without making the value.
bool encoded_value_fits(const Column& column, const EncodedValue& encoded);
// A value that is what stands in the file, letter for letter, with nothing to convert: a text; or a
// word for a boolean or a whole number that is spelled the same everywhere: true, -17.
struct PlainValue {
  std::string_view encoded;
  bool is_text = true;
};
// Nothing where the value must be made, by read_encoded_value().
std::optional<PlainValue> plain_value(const Column& column, const EncodedValue& encoded);

}  // namespace notesdb
