// Front matter that does not stand at the first byte.
#include "note/front_matter.h"

#include <catch2/catch.hpp>

#include "note/note.h"

namespace notesdb {
namespace {

FrontMatterKind kind_of(std::string_view bytes) {
  const auto front = split_front_matter(bytes, NoteFormat::markdown);
  REQUIRE(front);
  return front->kind;
}

TEST_CASE("blank lines and a byte order mark may stand above the front matter", "[note]") {
  for (const char* above : {"", "\xEF\xBB\xBF", "\n", "\r\n\r\n", " \t\n\n", "\xEF\xBB\xBF\n\n"}) {
    INFO(above);
    CHECK(kind_of(std::string(above) + "---\ntitle: A\n---\nBody\n") == FrontMatterKind::yaml);
    CHECK(kind_of(std::string(above) + "---\ntitle: A\n...\nBody\n") == FrontMatterKind::yaml);
    CHECK(kind_of(std::string(above) + "+++\ntitle = \"A\"\n+++\n") == FrontMatterKind::toml);
    CHECK(kind_of(std::string(above) + "{\"title\": \"A\"}\nBody\n") == FrontMatterKind::json);
  }
}

TEST_CASE("rules across the page below blank lines are no front matter", "[note]") {
  for (const char* text : {"\n---\nA sentence.\n---\n",
                           "\n---\n\n---\n",
                           "\n---\ntitle: never closed\n",
                           "\n+++\nnever closed\n",
                           "\n  ---\ntitle: indented\n---\n",
                           "\ntext\n---\ntitle: A\n---\n"}) {
    INFO(text);
    CHECK(kind_of(text) == FrontMatterKind::none);
  }
}

TEST_CASE("a field below blank lines is changed in place, and its line is told", "[note]") {
  const std::string bytes = "\n\n---\ntitle: A # first\n\n# a comment\nn: 1\n---\nBody\n";
  auto note = Note::parse(bytes, NoteFormat::markdown);
  REQUIRE(note);
  CHECK(note->find_field("title")->line == 4);
  REQUIRE(note->set("title", "B"));
  CHECK(note->bytes() == "\n\n---\ntitle: B # first\n\n# a comment\nn: 1\n---\nBody\n");
}

}  // namespace
}  // namespace notesdb
