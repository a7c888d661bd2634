// The gate in front of yaml-cpp: what the standard refuses is refused, what it reads otherwise than
// yaml-cpp is read as the standard says. Names in brackets are those of the YAML test suite.
#include <catch2/catch.hpp>

#include "note/note.h"

namespace notesdb {
namespace {

// The text of the only field; "issue at LINE:COLUMN" where it is not read.
std::string read(const std::string& yaml) {
  const auto note = Note::parse(yaml, NoteFormat::yaml);
  REQUIRE(note);
  REQUIRE(note->fields().size() == 1);
  if (note->issues().empty()) return note->fields().front().node.text;
  const Issue& issue = note->issues().front();
  return "issue at " + std::to_string(issue.line) + ":" + std::to_string(issue.column);
}

TEST_CASE("a tab does not indent a line between quotes", "[note]") {
  CHECK(read("foo: \"bar\n\tbaz\"\n") == "issue at 2:1");  // DK95/01
  CHECK(read("foo: 'bar\n\tbaz'\n") == "issue at 2:1");
  CHECK(read("foo: \"bar\n \tbaz\"\n") == "bar baz");
}

TEST_CASE("a line between quotes is deeper than what the quotes stand in", "[note]") {
  CHECK(read("sections:\n  - \"one\n  two\"\n") == "issue at 3:1");
  CHECK(read("a:\n  b: \"one\n  \"\n") == "issue at 3:1");
  CHECK(read("a: [\"one\n\n  two\"]\n").empty());
  CHECK(read("a:\n  - b: 'one\n     two'\n").empty());
  CHECK(read("a:\n- \"one\n\n two\"\n").empty());
}

TEST_CASE("a carriage return alone ends a line, in a comment too", "[note]") {
  CHECK(read("# note\ra: 1\nb: 2\n") == "issue at 1:7");
  CHECK(read("b: 2\n# note\ra: 1\n") == "issue at 2:7");
  CHECK(read("# note\r\nb: 2\r\n") == "2");
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

TEST_CASE("brackets too deep or too many are refused where they become so", "[note]") {
  CHECK(read("a: " + repeated("[", 31) + repeated("]", 31) + "\n").empty());
  CHECK(read("a: " + repeated("[", 200'000) + "\n") == "issue at 1:36");
  CHECK(read("a: " + repeated("[{b: ", 20'000) + "\n") == "issue at 1:84");
  CHECK(read("a: [" + repeated("{b: c},", 20'000) + "]\n") == "issue at 1:35004");
  CHECK(read("a: [\"" + repeated("[,", 20'000) + "\"]\n").empty());
}

TEST_CASE("front matter that no person wrote is refused whole", "[note]") {
  const std::string fields = repeated("a: 1\n", 60'000);
  CHECK_FALSE(Note::parse("---\n" + fields + "---\n", NoteFormat::markdown));
  const std::string conflict = "<<<<<<< a\nb: 1\n=======\nb: 2\n>>>>>>> c\n";
  CHECK(Note::parse("---\n" + repeated(conflict, 100) + "---\n", NoteFormat::markdown));
  CHECK_FALSE(Note::parse("---\n" + repeated(conflict, 101) + "---\n", NoteFormat::markdown));
}

TEST_CASE("a line of words within a map is not a key with a null", "[note]") {
  CHECK(read("a:\n- v:\n  - 1.0\n  2.0\n") == "issue at 4:3");
  CHECK(read("a:\n  k: b\n  c\n") == "issue at 3:3");
  CHECK(read("a:\n  c\n  k: b\n") == "issue at 3:4");
  CHECK(read("a:\n  k: b\n  'c'\n") == "issue at 3:3");
  for (const char* sound : {"a:\n  k: b\n  c:\n",
                            "a:\n  c:  # why\n  k: b\n",
                            "a:\n  'c d' :\n  k: b\n",
                            "a:\n  k: ~\n  c: null\n",
                            "a:\n  ? c\n  ? d\n",
                            "a: {c, k: b}\n",
                            "a:\n  k: b\n   c\n",
                            "a:\n- k:\n- c:\r\n"}) {
    INFO(sound);
    CHECK(read(sound).empty());
  }
}

TEST_CASE("a comment behind the mark of a block text has a blank before it", "[note]") {
  CHECK(read("block: ># comment\n  scalar\n") == "issue at 1:9");  // X4QW
  CHECK(read("block: |-# comment\n  scalar\n") == "issue at 1:10");
  CHECK(read("block: > # comment\n  scalar\n") == "scalar\n");
}

TEST_CASE("blank lines above a block text are not deeper than the text", "[note]") {
  CHECK(read("empty: >\n \n  \n   \n # comment\n") == "issue at 4:1");  // S98Z
  CHECK(read("text: |\n   \n  x\n") == "issue at 2:1");
  CHECK(read("text: |\n  \n  x\n") == "\nx\n");
  CHECK(read("text: |2\n    \n  x\n") == "  \nx\n");
  const auto nested = Note::parse("a:\n  b: |\n      \n  c: x\n", NoteFormat::yaml);
  REQUIRE(nested);
  CHECK(nested->issues().empty());
}

TEST_CASE("blanks at the end of a file are a line of its block text", "[note]") {
  CHECK(read("foo: |\n  x\n   ") == "x\n \n");  // L24T/01
  CHECK(read("foo: |\n  x\n   \n") == "x\n \n");
}

TEST_CASE("quoted lines fold as the standard says", "[note]") {
  CHECK(read("a: '\n  '\n") == " ");  // NAT4
  CHECK(read("a: \"  \n  \"\n") == " ");
  CHECK(read("a: '\n\n  '\n") == "\n");
  CHECK(read("a: \"\n\n\n  \"\n") == "\n\n");
  CHECK(read("a: \"one \t\n  two\n\n\n  three\\\n   \\ four \\  \n  five\\\\\n  six\"\n") ==
        "one two\n\nthree four   five\\ six");
  CHECK(read("a: 'it''s\r\n  here'\r\n") == "it's here");
  CHECK(read("a: \"x\\\n\n  y\"\n") == "x\ny");
}

}  // namespace
}  // namespace notesdb
