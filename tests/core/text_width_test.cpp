#include <catch2/catch.hpp>

#include "core/text.h"

namespace notesdb {
namespace {

TEST_CASE("text is as wide as a terminal shows it", "[core]") {
  CHECK(text_width("") == 0);
  CHECK(text_width("abc") == 3);
  CHECK(text_width("Büro") == 4);
  CHECK(text_width("東京") == 4);
  CHECK(text_width("e\xcc\x81") == 1);  // e with a combining accent
  CHECK(text_width("👍") == 2);
  CHECK(text_width("👩‍👧") == 2);
  CHECK(text_width("🇩🇪") == 2);
}

TEST_CASE("a cut never splits what a reader takes for one character", "[core]") {
  CHECK(cut_to_width("abcdef", 6) == "abcdef");
  CHECK(cut_to_width("abcdef", 4) == "abc…");
  CHECK(cut_to_width("東京都", 4) == "東…");
  CHECK(cut_to_width("e\xcc\x81t\xe9", 8).starts_with("e\xcc\x81"));
  for (std::size_t cells = 1; cells < 8; ++cells)
    CHECK(text_width(cut_to_width("a👩‍👧東e\xcc\x81z👍!", cells)) <= cells);
}

}  // namespace
}  // namespace notesdb
