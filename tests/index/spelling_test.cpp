// A text that stands as it is in its file need not be read to be known.
#include "index/spelling.h"

#include <catch2/catch.hpp>

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
    "true",
    "p: anna",
    "\\u00e4",
    "ä \\t",
};

TEST_CASE("a spelling that is said to be plain text is read as that text", "[index]") {
  std::size_t plain = 0;
  for (const std::string& type : column_type_names()) {
    for (const bool multiple : {false, true}) {
      Column column;
      column.type = parse_column_type(type);
      column.multiple = multiple;
      for (const char mark : {'p', 's', 'd', 'e'}) {
        for (const std::string& text : texts) {
          const Spelling spelling{mark, mark == 'e' ? std::string_view() : text};
          if (!is_plain_text(column, spelling)) continue;
          INFO(type << " " << mark << text);
          CHECK(read_spelling(column, spelling).value == Value(text));
          ++plain;
        }
      }
    }
  }
  CHECK(plain > 200);
}

}  // namespace
}  // namespace notesdb
