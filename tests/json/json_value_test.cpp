#include "json/json_value.h"

#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace notesdb {
namespace {

Value parsed(std::string_view text) {
  Result<Value> value = parse_json(text);
  INFO(text << ": " << (value ? "" : value.error().message));
  REQUIRE(value);
  return *value;
}

std::string refusal(std::string_view text, ErrorCode code = ErrorCode::invalid_argument) {
  Result<Value> value = parse_json(text);
  REQUIRE_FALSE(value);
  CHECK(value.error().code == code);
  return value.error().message;
}

TEST_CASE("JSON text comes back as it was", "[json]") {
  for (const char* text : {"null",
                           "true",
                           "-7",
                           "1.5",
                           "\"a\\n\\\"b\\\\ \\u0001\"",
                           "[]",
                           "{}",
                           "[1,[2,{\"a\":[]}]]",
                           "{\"b\":1,\"a\":{\"c\":null}}"})
    CHECK(to_json(parsed(text)) == text);
}

TEST_CASE("no digit of a whole number is lost on its way through JSON", "[json]") {
  CHECK(parsed("9007199254740993") == Value(std::int64_t{9007199254740993}));
  CHECK(to_json(Value(std::int64_t{9007199254740993})) == "\"9007199254740993\"");
  CHECK(to_json(Value(std::int64_t{9007199254740992})) == "9007199254740992");
  CHECK(to_json(Value(std::numeric_limits<std::int64_t>::min())) == "\"-9223372036854775808\"");
  CHECK(parsed("9223372036854775808") == Value("9223372036854775808"));
  CHECK(parsed("123456789012345678901234567890") == Value("123456789012345678901234567890"));
}

TEST_CASE("a number with a point stays one", "[json]") {
  CHECK(to_json(Value(2.0)) == "2.0");
  CHECK(to_json(Value(0.1)) == "0.1");
  CHECK(parsed("2.0").is_real());
  CHECK(to_json(Value(std::numeric_limits<double>::infinity())) == "\".inf\"");
}

// The writer looks at eight bytes at once, at the end at some of them twice.
TEST_CASE("every byte is written as JSON wants it, at every place of a text", "[json]") {
  constexpr std::size_t longest = 20;
  constexpr int first_not_ascii = 0x80;
  for (std::size_t length = 1; length <= longest; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (int byte = 0; byte < first_not_ascii; ++byte) {
        std::string text(length, 'x');
        text[place] = static_cast<char>(byte);
        const std::string written = to_json(Value(text));
        CAPTURE(length, place, byte, written);
        const bool is_plain = byte >= ' ' && byte != '"' && byte != '\\' && byte != 0x7f;
        CHECK((written == '"' + text + '"') == is_plain);
        CHECK(parsed(written) == Value(text));
        // Where one needs an escape, the bytes after it are judged again.
        text[(place + 1) % length] = static_cast<char>(byte ^ 1);
        text[length / 2] = '\n';
        CHECK(parsed(to_json(Value(text))) == Value(text));
      }
      std::string text(length, 'x');
      text.replace(place, 1, "\xc3\xa9");
      CHECK(to_json(Value(text)) == '"' + text + '"');
    }
  }
}

TEST_CASE("bytes that are no UTF-8 never break an answer", "[json]") {
  std::string broken = "a\xff\xc0z";
  CHECK(parsed(to_json(Value(broken))) == Value("a\xef\xbf\xbd\xef\xbf\xbdz"));
  CHECK_NOTHROW(to_json_tree(Value(Map{{broken, broken}})).dump());
}

TEST_CASE("JSON is strict", "[json]") {
  CHECK_FALSE(refusal("").empty());
  refusal("{'a': 1}");
  refusal("[1,]");
  refusal("[1] x");
  refusal("{\"a\":1");
  refusal("\"\xff\"");
  CHECK(refusal("1e999").find("too large") != std::string::npos);
  refusal(std::string_view("{}\0", 3));
  CHECK(refusal("{\"a\":1,\"a\":2}").find("duplicate key 'a'") != std::string::npos);
}

TEST_CASE("a key that is there twice is found among many", "[json]") {
  std::string many = "{";
  for (int i = 0; i < 50'000; ++i)
    many += "\"k" + std::to_string(i) + "\":1,";
  CHECK(parse_json(many + "\"k\":1}"));
  CHECK(refusal(many + "\"k7\":1}").find("duplicate key 'k7'") != std::string::npos);
}

TEST_CASE("JSON that is nested too deep is refused before it is built", "[json]") {
  std::string deep(64, '[');
  CHECK(parse_json(deep + std::string(64, ']')));
  CHECK(refusal("[" + deep, ErrorCode::limit_exceeded).find("64 levels") != std::string::npos);
  refusal(std::string(1000000, '['), ErrorCode::limit_exceeded);
  CHECK_FALSE(parse_json("[1]", {.bytes = 2}));
}

TEST_CASE("a tree and a text say the same", "[json]") {
  std::string text = R"({"a":[1,2.5,"x",null,true],"b":{"c":"9007199254740993"}})";
  Value value = parsed(text);
  CHECK(to_json_tree(value).dump() == text);
  CHECK(from_json_tree(nlohmann::ordered_json::parse(text)) == value);
  CHECK(to_json_tree(Value(std::int64_t{1} << 60)).is_string());
  CHECK(to_json_tree(Value(std::int64_t{1} << 60), LargeNumbers::exact) == std::int64_t{1} << 60);
}

TEST_CASE("indented JSON is the same JSON", "[json]") {
  Value value = parsed(R"({"a":[1,{"b":[]}],"c":{}})");
  std::string text = to_indented_json(value);
  CHECK(parsed(text) == value);
  CHECK(text.find("\n  \"a\": [\n    1,\n    {\n      \"b\": []") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
