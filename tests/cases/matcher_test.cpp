#include "cases/matcher.h"

#include <catch2/catch.hpp>

namespace notesdb::cases {
namespace {

bool fits(const char* pattern, const char* found) {
  Bindings bindings;
  return match(Json::parse(pattern), Json::parse(found), bindings).differences.empty();
}

TEST_CASE("a pattern means itself", "[matcher]") {
  CHECK(fits(R"({"a": [1, "x", null]})", R"({"a": [1, "x", null]})"));
  CHECK_FALSE(fits(R"({"a": [1]})", R"({"a": [1, 2]})"));
  CHECK_FALSE(fits(R"({"a": 1})", R"({"a": 1, "b": 2})"));
  CHECK_FALSE(fits(R"({"a": 1, "b": 2})", R"({"a": 1})"));
  CHECK_FALSE(fits(R"("1")", "1"));
}

TEST_CASE("an open object may have more members", "[matcher]") {
  CHECK(fits(R"({"a": 1, "...": "$any"})", R"({"a": 1, "b": 2})"));
  CHECK_FALSE(fits(R"({"a": 1, "b": "$absent", "...": "$any"})", R"({"a": 1, "b": 2})"));
}

TEST_CASE("placeholders stand for a kind", "[matcher]") {
  CHECK(fits(R"("$etag")", R"("0123456789abcdef")"));
  CHECK_FALSE(fits(R"("$etag")", R"("0123456789abcdeg")"));
  CHECK(fits(R"("$time")", R"("2026-01-31T09:05:00Z")"));
  CHECK_FALSE(fits(R"("$time")", R"("2026-01-31T09:05:00")"));
  CHECK_FALSE(fits(R"("$number")", R"("7")"));
}

TEST_CASE("a bound placeholder keeps its value", "[matcher]") {
  CHECK(fits(R"(["$string:a", "$string:a"])", R"(["x", "x"])"));
  CHECK_FALSE(fits(R"(["$string:a", "$string:a"])", R"(["x", "y"])"));
}

TEST_CASE("a bound placeholder goes into the next request", "[matcher]") {
  Bindings bindings;
  match(Json::parse(R"({"etag": "$etag:now"})"),
        Json::parse(R"({"etag": "0123456789abcdef"})"),
        bindings);
  CHECK(substitute(Json{{"etag", "$etag:now"}}, bindings) == Json{{"etag", "0123456789abcdef"}});
  CHECK(fill_in("--etag $etag:now", bindings) == "--etag 0123456789abcdef");
}

TEST_CASE("operators look into texts and lists", "[matcher]") {
  CHECK(fits(R"({"$contains": ["b", "a"]})", R"("abc")"));
  CHECK_FALSE(fits(R"({"$contains": ["b", "d"]})", R"("abc")"));
  CHECK(fits(R"({"$contains": [{"x": 1}]})", R"([{"x": 2}, {"x": 1}])"));
  CHECK_FALSE(fits(R"({"$lacks": ["b"]})", R"("abc")"));
  CHECK(fits(R"({"$unordered": [1, 2]})", "[2, 1]"));
  CHECK_FALSE(fits(R"({"$unordered": [1, 1]})", "[2, 1]"));
  CHECK_FALSE(fits(R"({"$one_of": ["a", "b"]})", R"("c")"));
  CHECK(fits(R"({"$ids": ["a"]})", R"({"total": 1, "rows": [{"id": "a"}]})"));
  CHECK_FALSE(fits(R"({"$ids": ["a"]})", R"({"total": 2, "rows": [{"id": "a"}]})"));
}

TEST_CASE("an expected error looks at the members it names", "[matcher]") {
  CHECK(fits(R"({"error": {"code": "conflict"}})", R"({"error": {"code": "conflict", "x": 1}})"));
  CHECK_FALSE(fits(R"({"error": {"code": "conflict"}})", R"({"error": {"code": "io_error"}})"));
  CHECK_FALSE(fits(R"({"error": {"code": "conflict"}})", R"({"total": 0})"));
}

}  // namespace
}  // namespace notesdb::cases
