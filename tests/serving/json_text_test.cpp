#include "serving/json_text.h"

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

std::string with(std::string_view text) {
  Result<std::string> changed = with_json_member(text, "servers", "b", {{"x", 1}});
  return changed ? *changed : "refused";
}

TEST_CASE("a new text is laid out in lines", "[serving]") {
  CHECK(with("") == "{\n  \"servers\": {\n    \"b\": {\n      \"x\": 1\n    }\n  }\n}\n");
  CHECK(with(" \n") == with(""));
  CHECK(with("{}") + "\n" == with(""));
}

TEST_CASE("a member is added in the manner of its neighbours", "[serving]") {
  CHECK(with("{\n\t\"servers\": {\n\t\t\"a\": 1.50\n\t}\n}") ==
        "{\n\t\"servers\": {\n\t\t\"a\": 1.50,\n\t\t\"b\": {\n\t\t\t\"x\": 1\n\t\t}\n\t}\n}");
  CHECK(with("{\r\n    \"a\": []\r\n}\r\n") ==
        "{\r\n    \"a\": [],\r\n    \"servers\": {\r\n        \"b\": {\r\n            \"x\": "
        "1\r\n        }\r\n    }\r\n}\r\n");
  CHECK(with(R"({"servers": {"a": "}"}, "z": 0})") ==
        "{\"servers\": {\"a\": \"}\", \"b\": {\n    \"x\": 1\n  }}, \"z\": 0}");
}

TEST_CASE("a member that is there gets its new value in its place", "[serving]") {
  CHECK(with("{\"servers\": {\"b\" : [1, {\"]\": 2}], \"c\": 3}}") ==
        "{\"servers\": {\"b\" : {\n    \"x\": 1\n  }, \"c\": 3}}");
  CHECK(with("{\"servers\": null}") == "{\"servers\": {\n  \"b\": {\n    \"x\": 1\n  }\n}}");
  CHECK(with(with("{\"servers\": {}}")) == with("{\"servers\": {}}"));
}

TEST_CASE("remarks stay where they are", "[serving]") {
  CHECK(
      with("// mine\n{\n  // \"servers\": {\n  \"servers\": { // here\n    \"a\": 1 // one\n  "
           "}\n}") ==
      "// mine\n{\n  // \"servers\": {\n  \"servers\": { // here\n    \"a\": 1, // one\n    \"b\": "
      "{\n      \"x\": 1\n    }\n  }\n}");
  CHECK(with("{\n  /* none, yet */\n}\n") ==
        "{\n  /* none, yet */\n  \"servers\": {\n    \"b\": {\n      \"x\": 1\n    }\n  }\n}\n");
  CHECK(with("\xEF\xBB\xBF{}").starts_with("\xEF\xBB\xBF{\n"));
}

TEST_CASE("every byte outside of the member stays", "[serving]") {
  const std::string before =
      "{ \"n\" : 1.10e2 ,\n\"s\":\"\\u00e9/\\/\", \"servers\" : {} , \"z\":[ ] }\n\n";
  const std::string after = with(before);
  const std::size_t at = before.find("{}") + 1;
  CHECK(after.starts_with(before.substr(0, at)));
  CHECK(after.ends_with(before.substr(at)));
}

TEST_CASE("what is not an object is refused", "[serving]") {
  for (const char* text : {"[]", "7", "{\"servers\": []}", "{", "{} {}", "nul"}) {
    INFO(text);
    CHECK(with(text) == "refused");
  }
}

}  // namespace
}  // namespace notesdb
