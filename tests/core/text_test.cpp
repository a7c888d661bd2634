#include "core/text.h"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

using namespace notesdb;

TEST_CASE("only well-formed UTF-8 is UTF-8", "[core]") {
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("gr\u00fc\u00df \u65e5\u672c \U0001F600"));
  CHECK_FALSE(is_utf8("\xC0\xAF"));          // overlong
  CHECK_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  CHECK_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  CHECK_FALSE(is_utf8("cut \xE2\x82"));
  CHECK(to_utf8("a\xFFz") == "a\uFFFDz");
}

TEST_CASE("folding is simple case folding", "[core]") {
  CHECK(fold_case("HeLLo 123") == "hello 123");
  CHECK(fold_case("\u00c4\u00d6") == "\u00e4\u00f6");
  CHECK(fold_case("\u03a3\u03c2\u03c3") == "\u03c3\u03c3\u03c3");  // sigmas
  CHECK(fold_case("\u017f\u212a\u2126\u00b5") == "sk\u03c9\u03bc");
  CHECK(fold_case("\u00df") == "\u00df");              // ss is full folding
  CHECK(fold_case("\u1e9e") == "\u00df");              // capital sharp s
  CHECK(fold_case("\u0130\u0131") == "\u0130\u0131");  // Turkish folding only
  CHECK(fold_case("\uab70\u13a0") == "\u13a0\u13a0");  // Cherokee
  CHECK(fold_case("\u01c5") == "\u01c6");
  CHECK(fold_case("A\xFF") == "a\xFF");
}

TEST_CASE("composition joins a letter and its mark", "[core]") {
  CHECK(to_nfc("e\u0301") == "\u00e9");
  CHECK(to_nfc("bad \xFF") == "bad \xFF");
}

TEST_CASE("natural order reads digits as numbers", "[core]") {
  CHECK(compare_natural("row-9", "row-10") < 0);
  CHECK(compare_natural("row-010", "row-9") > 0);
  CHECK(compare_natural("a", "ab") < 0);
  CHECK(compare_natural("a1b2", "a1b10") < 0);
  CHECK(compare_natural("row-01", "row-1") < 0);
  CHECK(compare_natural("row-1", "row-01a") < 0);
  CHECK(compare_natural("x", "x") == 0);
  CHECK(compare_natural("99999999999999999999999", "100000000000000000000000") < 0);
  CHECK(compare_natural("z", "\u00e4") < 0);
}

TEST_CASE("natural order is a total order", "[core]") {
  std::mt19937 random(7);
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (auto length = random() % 5; length > 0; --length)
      text += "01a-"[random() % 4];
    texts.push_back(text);
  }
  auto sign = [](int order) { return (order > 0) - (order < 0); };
  for (const auto& a : texts) {
    for (const auto& b : texts) {
      REQUIRE(sign(compare_natural(a, b)) == -sign(compare_natural(b, a)));
      REQUIRE((compare_natural(a, b) == 0) == (a == b));
      REQUIRE(sign(compare_natural("9a-" + a, "9a-" + b)) == sign(compare_natural(a, b)));
      for (const auto& c : texts) {
        if (compare_natural(a, b) < 0 && compare_natural(b, c) < 0)
          REQUIRE(compare_natural(a, c) < 0);
      }
    }
  }
}

TEST_CASE("the nearest name is the one that was meant", "[core]") {
  const std::vector<std::string> operators{
      "eq", "neq", "gt", "gte", "lt", "lte", "contains", "is_empty", "in", "matches"};
  CHECK(nearest_name("equals", operators) == "eq");
  CHECK(nearest_name("before", operators) == "lt");
  CHECK(nearest_name("is", operators) == "eq");
  CHECK(nearest_name(">=", operators) == "gte");
  CHECK(nearest_name("isEmpty", operators) == "is_empty");
  CHECK(nearest_name("contians", operators) == "contains");
  CHECK(nearest_name("regex", operators) == "matches");
  CHECK(nearest_name("frobnicate", operators) == std::nullopt);
  CHECK(nearest_name("staus", {"title", "status", "state"}) == "status");
  CHECK(nearest_name("STATUS", {"state", "status"}) == "status");
  CHECK(nearest_name("est", {"title", "estimate"}) == "estimate");
  CHECK(nearest_name("due date", {"due-date", "due"}) == "due-date");
  CHECK(nearest_name("x", {"title"}) == std::nullopt);
  CHECK(nearest_name("", {"title"}) == std::nullopt);
  CHECK(nearest_names("row-11", {"row-1", "zzz", "row-011", "row-12"}, 2).front() == "row-1");
  CHECK(nearest_names("a", {"a"}, 3).size() == 1);
}

TEST_CASE("a slug keeps letters and digits of any script", "[core]") {
  CHECK(slug("My Tasks") == "my-tasks");
  CHECK(slug("  --A & B!  ") == "a-b");
  CHECK(slug("Caf\u00e9 \u65e5\u672c 2") == "caf\u00e9-\u65e5\u672c-2");
  CHECK(slug("\u0939\u093f\u0928\u094d\u0926\u0940") == "\u0939\u093f\u0928\u094d\u0926\u0940");
  CHECK(slug("\u2764\ufe0f") == "");
  CHECK(slug("e\u0301a") == "\u00e9a");
}

TEST_CASE("no control character reaches a terminal raw", "[core]") {
  CHECK(escape_controls("a\tb\nc") == "a\tb\nc");
  CHECK(escape_controls("\x1b[31mred") == "\\x1b[31mred");
  CHECK(escape_controls("\u009b\u202e\x7f") == "\\u009b\\u202e\\x7f");
  CHECK(escape_controls(std::string_view("\0\r", 2)) == "\\x00\\x0d");
  CHECK(escape_controls("bad \xFF\u00e9") == "bad \\xff\u00e9");
}
