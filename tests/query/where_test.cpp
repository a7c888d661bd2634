#include "query/where.h"

#include <catch2/catch.hpp>

using namespace notesdb;

namespace {
std::string shown(const Value& filter) {
  if (const Value* any = filter.find("any")) {
    std::string group;
    for (const Value& one : any->list())
      group += (group.empty() ? "(" : " or ") + shown(one);
    return group + ")";
  }
  std::string triple = filter.find("field")->text() + '|' + filter.find("operator")->text();
  const Value* value = filter.find("value");
  return value == nullptr ? triple : triple + '|' + to_display(*value);
}

std::string parsed(std::string_view text) {
  Result<List> filters = parse_where(text);
  if (!filters) return "! " + filters.error().message;
  std::string all;
  for (const Value& filter : *filters)
    all += (all.empty() ? "" : " and ") + shown(filter);
  return all;
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
  CHECK(parsed("title = 'a' + 'b'") == "title|eq|\"'a' + 'b'\"");
  CHECK(parsed("title = \" a \"") == "title|eq|\" a \"");
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

TEST_CASE("symbols and words of SQL are understood", "[query]") {
  CHECK(parsed("n == 1") == "n|eq|\"1\"");
  CHECK(parsed("n <> 1") == "n|neq|\"1\"");
  CHECK(parsed("due is null") == "due|is_empty");
  CHECK(parsed("due IS NOT NULL") == "due|is_not_empty");
  CHECK(parsed("status in ('open', done)") == "status|in|[\"open\", \"done\"]");
  CHECK(parsed("n between 1 and 3") == "n|gte|\"1\" and n|lte|\"3\"");
  CHECK(parsed("n not between 1 and 3") == "(n|lt|\"1\" or n|gt|\"3\")");
  CHECK(parsed("due between 'a and b' and c and n = 1") ==
        "due|gte|\"a and b\" and due|lte|\"c\" and n|eq|\"1\"");
}

TEST_CASE("and binds tighter than or, and brackets tighter than both", "[query]") {
  CHECK(parsed("n = 1 or n = 3") == "(n|eq|\"1\" or n|eq|\"3\")");
  CHECK(parsed("n = 1 AND m = 2") == "n|eq|\"1\" and m|eq|\"2\"");
  CHECK(parsed("a = 1 and b = 2 or c = 3") ==
        "(a|eq|\"1\" or c|eq|\"3\") and (b|eq|\"2\" or c|eq|\"3\")");
  CHECK(parsed("a = 1 and (b = 2 or c is empty)") == "a|eq|\"1\" and (b|eq|\"2\" or c|is_empty)");
  CHECK(parsed("(a = f(x) or b = 2)") == "(a|eq|\"f(x)\" or b|eq|\"2\")");
  CHECK(parsed("s in a, b or n = 1") == "(s|in|[\"a\", \"b\"] or n|eq|\"1\")");
  CHECK(parsed("due is empty or due < today") == "(due|is_empty or due|lt|\"today\")");
  CHECK(parsed("title = orange") == "title|eq|\"orange\"");
  CHECK(parsed("tags = [salt and pepper, b]") == "tags|eq|[\"salt and pepper\", \"b\"]");
}

TEST_CASE("a value that holds and or or is quoted, and refused with the quotes", "[query]") {
  CHECK(parsed("title = \"salt and pepper\" and n = 1") ==
        "title|eq|\"salt and pepper\" and n|eq|\"1\"");
  CHECK(parsed("title = salt and pepper") ==
        "! 'pepper' has no operator; a value that holds 'and' or 'or' is quoted: "
        "title = \"salt and pepper\"");
  CHECK(parsed("title contains this or that one").find("title contains \"this or that one\"") !=
        std::string::npos);
  CHECK(parsed("title = 'a' and 'b'").starts_with("! "));
  CHECK(parsed("status = open and due equals today").find("did you mean") != std::string::npos);
  CHECK(parsed("title = now or").starts_with("! "));
  CHECK(parsed("title = and so on").starts_with("! "));
  CHECK(parsed("n between 1").starts_with("! "));
  CHECK(parsed("(n = 1").starts_with("! "));
  CHECK(parsed("(n = 1) x").starts_with("! "));
  std::string many = "(a = 1 and b = 2)";
  for (int i = 0; i < 12; ++i)
    many += " or (a = 1 and b = 2)";
  CHECK(parsed(many).find("too long") != std::string::npos);
}

TEST_CASE("what is no where is refused", "[query]") {
  for (std::string_view wrong : {"", "status", " = done", "\"open = x", "a = 'b", "'' = x"}) {
    INFO(wrong);
    CHECK(parsed(wrong).starts_with("! "));
  }
}
