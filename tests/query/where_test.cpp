#include "query/where.h"

#include <catch2/catch.hpp>

using namespace notesdb;

namespace {
std::string parsed(std::string_view text) {
  Result<Value> triple = parse_where(text);
  if (!triple) return "! " + triple.error().message;
  std::string shown = triple->find("field")->text() + '|' + triple->find("operator")->text();
  const Value* value = triple->find("value");
  return value == nullptr ? shown : shown + '|' + to_display(*value);
}
}  // namespace

TEST_CASE("a where is a field, an operator and a value", "[query]") {
  CHECK(parsed("status = done") == "status|eq|\"done\"");
  CHECK(parsed("estimate>=3") == "estimate|gte|\"3\"");
  CHECK(parsed("a != b") == "a|neq|\"b\"");
  CHECK(parsed("a > b") == "a|gt|\"b\"");
  CHECK(parsed("a < b") == "a|lt|\"b\"");
  CHECK(parsed("a <= b") == "a|lte|\"b\"");
  CHECK(parsed("title ~ ^a.*b$") == "title|matches|\"^a.*b$\"");
  CHECK(parsed("tags contains backend") == "tags|contains|\"backend\"");
  CHECK(parsed("due is_empty") == "due|is_empty");
  CHECK(parsed("  due   lt  today+7d ") == "due|lt|\"today+7d\"");
  CHECK(parsed("title = a = b") == "title|eq|\"a = b\"");
  CHECK(parsed("my-field.sub[].x eq 1") == "my-field.sub[].x|eq|\"1\"");
  CHECK(parsed("status =") == "status|eq");
}

TEST_CASE("the words of an operator may stand apart", "[query]") {
  CHECK(parsed("due is empty") == "due|is_empty");
  CHECK(parsed("due is not empty") == "due|is_not_empty");
  CHECK(parsed("tags not contains a b") == "tags|not_contains|\"a b\"");
  CHECK(parsed("status not in a,b") == "status|not_in|[\"a\", \"b\"]");
  CHECK(parsed("status is open") == "status|is|\"open\"");
}

TEST_CASE("quotes hold fields and values together", "[query]") {
  CHECK(parsed("\"due date\" < today") == "due date|lt|\"today\"");
  CHECK(parsed("'it''s' = 'a''b'") == "it's|eq|\"a'b\"");
  CHECK(parsed("title = \"a \\\" b\"") == "title|eq|\"a \\\" b\"");
  CHECK(parsed("title = \"\"") == "title|eq|\"\"");
  CHECK(parsed("title = 'a' and 'b'") == "title|eq|\"'a' and 'b'\"");
}

TEST_CASE("lists stand in brackets or after in", "[query]") {
  CHECK(parsed("status in open, done") == "status|in|[\"open\", \"done\"]");
  CHECK(parsed("status in \"a, b\",c") == "status|in|[\"a, b\", \"c\"]");
  CHECK(parsed("tags = [a, 'b, c']") == "tags|eq|[\"a\", \"b, c\"]");
  CHECK(parsed("tags = []") == "tags|eq|[]");
  CHECK(parsed("who = [[ann|A]]") == "who|eq|\"[[ann|A]]\"");
  CHECK(parsed("title contains [a]") == "title|contains|\"[a]\"");
  CHECK(parsed("title matches [ab]") == "title|matches|\"[ab]\"");
}

TEST_CASE("what is no where is refused", "[query]") {
  for (std::string_view wrong : {"", "status", " = done", "\"open = x", "a = 'b", "'' = x"}) {
    INFO(wrong);
    CHECK(parsed(wrong).starts_with("! "));
  }
}
