// A text that stands as it is in its file need not be read to be known.
#include <catch2/catch.hpp>

#include "index/dictionary.h"

namespace notesdb {
namespace {

const std::vector<std::string> texts{
    "",
    "~",
    "null",
    "plain",
    "it''s",
    "a \\\"b\\\"",
    "line\\nbreak",
    "2026-01-31",
    "2026-13-31",
    "7",
    "-17",
    "0",
    "-0",
    "+5",
    "007",
    "0x1F",
    "1e5",
    "999999999999999",
    "9007199254740993",
    "-",
    "true",
    "false",
    "True",
    "p: anna",
    "\\u00e4",
    "ä \\t",
};

TEST_CASE("a value that is said to be plain is read as what stands there", "[index]") {
  std::size_t texts_met = 0;
  std::size_t words_met = 0;
  for (const std::string& type : column_type_names()) {
    for (const bool multiple : {false, true}) {
      Column column;
      column.type = parse_column_type(type);
      column.multiple = multiple;
      for (const char mark : {'p', 's', 'd', 'e'}) {
        for (const std::string& text : texts) {
          const EncodedValue encoded{mark, mark == 'e' ? std::string_view() : text};
          const auto plain = plain_value(column, encoded);
          if (!plain) continue;
          INFO(type << " " << mark << text);
          CHECK(plain->encoded == text);
          const Value value = read_encoded_value(column, encoded).value;
          CHECK(plain->is_text == value.is_text());
          CHECK((value.is_text() ? value.text() : to_display(value)) == text);
          ++(plain->is_text ? texts_met : words_met);
        }
      }
    }
  }
  CHECK(texts_met > 200);
  CHECK(words_met == 12);
}

}  // namespace
}  // namespace notesdb
