#include "mcp/no_memory_answer.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace notesdb::mcp {
namespace {

Json answer_to(const Json& id) {
  return Json::parse(NoMemoryAnswer(id).text());
}

TEST_CASE("an answer without memory has the id of its request", "[mcp]") {
  for (const Json& id : {Json(7),
                         Json(-12),
                         Json(std::numeric_limits<std::uint64_t>::max()),
                         Json("abc"),
                         Json(""),
                         Json("a \"quoted\" \\ one\nand\x01 é"),
                         Json(std::string(800, 'x'))}) {
    const Json answer = answer_to(id);
    CHECK(answer["id"] == id);
    CHECK(answer["jsonrpc"] == "2.0");
    CHECK(answer["error"]["code"] == -32603);
  }
}

TEST_CASE("an id that has no room is told as null", "[mcp]") {
  for (const Json& id :
       {Json(nullptr), Json(std::string(2000, 'x')), Json(std::string(300, '\x02'))})
    CHECK(answer_to(id)["id"] == nullptr);
}

TEST_CASE("an answer without memory is one line", "[mcp]") {
  CHECK(NoMemoryAnswer(Json("a\nb\r")).text().find_first_of("\n\r") == std::string_view::npos);
}

}  // namespace
}  // namespace notesdb::mcp
