#include "core/link.h"

#include <catch2/catch.hpp>

using namespace notesdb;

TEST_CASE("every form of a link names its row", "[core]") {
  for (std::string_view text : {"ann",
                                "people/ann",
                                "[[ann]]",
                                "[[ann|Ann B]]",
                                "[[people/ann#top|A]]",
                                "[[ann.md]]",
                                "[A](ann.md)",
                                "[A](./ann.md)",
                                "[A](../people/ann.md#x)",
                                "[A](<ann.md> \"title\")",
                                " [[ann]] "}) {
    INFO(text);
    CHECK(row_named_by(text, "people") == "ann");
  }
  CHECK(row_named_by("[Ann B](ann%20b.md)", "people") == "ann b");
  CHECK(row_named_by("[A](../people/ann.md)", "team/people") == "ann");
  CHECK(row_named_by("sub/ann", "people") == "sub/ann");
  CHECK(row_named_by("people/", "people") == "people/");
  CHECK(row_named_by("peopleish/x", "people") == "peopleish/x");
  CHECK(row_named_by("", "people") == "");
}

TEST_CASE("a link tells its target, anchor and text apart", "[core]") {
  Link link = *parse_link("[[ann#a b|Ann]]");
  CHECK(link.target == "ann");
  CHECK(link.anchor == "a b");
  CHECK(link.text == "Ann");
  CHECK(parse_link("[x](../a.md)")->target == "../a");
}

TEST_CASE("what is not one link is none", "[core]") {
  for (std::string_view text : {"ann",
                                "[[]]",
                                "[[#top]]",
                                "[[a]] and [[b]]",
                                "[a](b.md) [c](d.md)",
                                "[a](https://example.org/x.md)",
                                "[a]",
                                "[a](",
                                "[[a]",
                                "[]()"}) {
    INFO(text);
    CHECK_FALSE(parse_link(text));
  }
}
