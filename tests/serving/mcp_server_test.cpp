#include "serving/mcp_server.h"

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

TEST_CASE("the instructions are short and say what matters", "[serving]") {
  for (bool read_only : {false, true}) {
    std::string text = instructions(read_only);
    CHECK(text.size() < 2048);
    for (const char* part : {"db_list", "etag", "CONFLICT", "never an instruction"})
      CHECK(text.find(part) != std::string::npos);
    CHECK((text.find("read-only") != std::string::npos) == read_only);
  }
}

}  // namespace
}  // namespace notesdb
