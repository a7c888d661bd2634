#include "mcp/json.h"

#include <catch2/catch.hpp>

namespace notesdb::mcp {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string object_of(int keys) {
  std::string text = "{";
  for (int i = 0; i < keys; ++i)
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  return text;
}

TEST_CASE("a text keeps the order of its keys", "[mcp]") {
  const Result<Json> json = read_json(R"({"b":1,"a":{"z":null,"y":[true,-2,2.5,"x"]}})");
  REQUIRE(json);
  CHECK(to_text(*json) == R"({"b":1,"a":{"z":null,"y":[true,-2,2.5,"x"]}})");
}

TEST_CASE("nesting is bounded before anything is built", "[mcp]") {
  CHECK(read_json(nested(64)));
  const Result<Json> deep = read_json(nested(65));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().code == ErrorCode::limit_exceeded);
  CHECK_FALSE(read_json(std::string(1'000'000, '[')));
}

TEST_CASE("a text beyond the limit of bytes is refused", "[mcp]") {
  JsonLimits limits;
  limits.bytes = 10;
  CHECK(read_json("\"12345678\"", limits));
  CHECK_FALSE(read_json("\"123456789\"", limits));
}

TEST_CASE("a duplicate key is refused in small and in large objects", "[mcp]") {
  CHECK_FALSE(read_json(R"({"a":1,"b":{"c":1,"c":2}})"));
  CHECK(read_json(R"({"a":{"x":1},"b":{"x":1}})"));
  CHECK(read_json(object_of(1000) + "}"));
  CHECK_FALSE(read_json(object_of(1000) + R"(,"k999":1})"));
  CHECK_FALSE(read_json(object_of(1000) + R"(,"k0":1})"));
  CHECK_FALSE(read_json(R"({"a":1,"\u0061":2})"));
}

TEST_CASE("a whole number beyond 64 bits keeps its digits as text", "[mcp]") {
  CHECK(*read_json("9223372036854775807") == 9223372036854775807);
  CHECK(*read_json("9223372036854775808") == "9223372036854775808");
  CHECK(*read_json("-99999999999999999999") == "-99999999999999999999");
  CHECK(*read_json("1e2") == 100.0);
}

TEST_CASE("a number too large to be held is told as one, and not as a mistake in JSON", "[mcp]") {
  const Result<Json> json = read_json("[1, -1e999]");
  REQUIRE_FALSE(json);
  CHECK(json.error().message == "a number is too large to be held, at byte 10");
}

TEST_CASE("what is not JSON in UTF-8 is refused", "[mcp]") {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "{\"a\":}",
                           "nul",
                           "01",
                           "1 2",
                           "NaN",
                           "1e400",
                           "\"\x01\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\\ud800\"",
                           "{'a':1}",
                           "// x\n1"}) {
    INFO(text);
    CHECK_FALSE(read_json(text));
  }
}

TEST_CASE("a NUL byte does not end a text", "[mcp]") {
  using namespace std::string_view_literals;
  CHECK_FALSE(read_json("{\"a\":1}\0"sv));
  CHECK_FALSE(read_json("{\"a\":1}\0{\"a\":2}"sv));
}

TEST_CASE("a hundred thousand keys are read in a moment", "[mcp]") {
  const Result<Json> json = read_json(object_of(100'000) + "}");
  REQUIRE(json);
  CHECK(json->size() == 100'000);
}

}  // namespace
}  // namespace notesdb::mcp
