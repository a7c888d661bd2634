#include "mcp/json.h"

#include <catch2/catch.hpp>

namespace notesdb::mcp {

TEST_CASE("a text is quoted as every other value is written", "[mcp]") {
  for (const std::string text : {"",
                                 "plain",
                                 R"({"a":"b\\n\"c"})",
                                 "\\",
                                 "\"",
                                 "tab\tand\nline",
                                 "\x7f\x01",
                                 "é 漢 \xF0\x9F\x98\x80",
                                 "\xFF broken \xC3"}) {
    CHECK(to_quoted(text) == to_text(Json(text)));
  }
  CHECK(to_quoted(std::string("a\0b", 3)) == to_text(Json(std::string("a\0b", 3))));
}

}  // namespace notesdb::mcp
