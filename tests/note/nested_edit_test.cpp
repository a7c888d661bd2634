// Values inside values: a list of maps as schemas have it, a json column. Only the lines of what
// changed may change.
#include <string>

#include <catch2/catch.hpp>

#include "note/note.h"
#include "yaml/scalar.h"

using namespace notesdb;

namespace {

const std::string schema =
    "---\n"
    "name: Stories\n"
    "columns:\n"
    "  # what it is called\n"
    "  - id: title   # shown first\n"
    "    type: text\n"
    "  - id: status\n"
    "    type: select\n"
    "\n"
    "    options: [open, 'in work', done]  # in the order of the board\n"
    "  - { id: due, type: date, options: [ a, b ] }\n"
    "  - id: tags\n"
    "    type: multi-select\n"
    "    options:\n"
    "      - home   # at home\n"
    "      - work\n"
    "other: 1\n"
    "---\n"
    "text\n";

Note note_of(const std::string& bytes) {
  return *Note::parse(bytes, NoteFormat::markdown);
}

Value columns_of(const Note& note) {
  return read_untyped(*note.find("columns"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string with_columns(const Value& columns) {
  Note note = note_of(schema);
  REQUIRE(note.set("columns", columns));
  return note.bytes();
}

}  // namespace

TEST_CASE("a changed value in a map of a list changes its line only", "[note]") {
  Value columns = columns_of(note_of(schema));
  columns.list()[0].set("id", "headline");
  CHECK(with_columns(columns) == replaced(schema, "id: title ", "id: headline "));
  columns = columns_of(note_of(schema));
  columns.list()[2].set("id", "until");
  CHECK(with_columns(columns) == replaced(schema, "id: due,", "id: until,"));
}

TEST_CASE("an item of a list within a map within a list keeps its comment", "[note]") {
  Value columns = columns_of(note_of(schema));
  columns.list()[3].find("options")->list()[0] = "house";
  CHECK(with_columns(columns) == replaced(schema, "- home   #", "- house   #"));
  columns = columns_of(note_of(schema));
  columns.list()[1].find("options")->list()[0] = "new";
  CHECK(with_columns(columns) == replaced(schema, "[open,", "[new,"));
  columns = columns_of(note_of(schema));
  columns.list()[2].find("options")->list().emplace_back("c");
  CHECK(with_columns(columns) == replaced(schema, "[ a, b ]", "[ a, b, c ]"));
}

TEST_CASE("members come and go on lines of their own", "[note]") {
  Value columns = columns_of(note_of(schema));
  columns.list()[0].set("required", true);
  CHECK(with_columns(columns) ==
        replaced(schema, "    type: text\n", "    type: text\n    required: true\n"));
  columns = columns_of(note_of(schema));
  columns.list()[1].map().pop_back();
  CHECK(
      with_columns(columns) ==
      replaced(schema, "    options: [open, 'in work', done]  # in the order of the board\n", ""));
  columns = columns_of(note_of(schema));
  columns.list()[2].map().pop_back();
  columns.list()[2].set("required", true);
  CHECK(with_columns(columns) == replaced(schema, "options: [ a, b ] }", "required: true }"));
}

TEST_CASE("maps of a list come, go and move with their lines", "[note]") {
  Value columns = columns_of(note_of(schema));
  columns.list().erase(columns.list().begin());
  CHECK(with_columns(columns) ==
        replaced(schema, "  - id: title   # shown first\n    type: text\n", ""));
  columns = columns_of(note_of(schema));
  columns.list().insert(columns.list().begin() + 3, Map{{"id", "points"}, {"type", "number"}});
  CHECK(with_columns(columns) ==
        replaced(schema, "  - id: tags\n", "  - id: points\n    type: number\n  - id: tags\n"));
  columns = columns_of(note_of(schema));
  std::swap(columns.list()[2], columns.list()[3]);
  std::string moved = replaced(schema, "  - { id: due, type: date, options: [ a, b ] }\n", "");
  CHECK(with_columns(columns) ==
        replaced(moved, "other: 1", "  - { id: due, type: date, options: [ a, b ] }\nother: 1"));
}

TEST_CASE("a nested map of a json column changes by one value", "[note]") {
  Note note = *Note::parse(
      "releases:\n  latest: 1.2   # as of May\n  links:\n    home: a\n    docs: \"b\"\n",
      NoteFormat::yaml);
  Value releases = read_untyped(*note.find("releases"));
  releases.find("links")->set("docs", "c");
  REQUIRE(note.set("releases", releases));
  CHECK(note.bytes() ==
        "releases:\n  latest: 1.2   # as of May\n  links:\n    home: a\n    docs: \"c\"\n");
  releases.map()[1].key = "urls";
  REQUIRE(note.set("releases", releases));
  CHECK(note.bytes() ==
        "releases:\n  latest: 1.2   # as of May\n  urls:\n    home: a\n    docs: \"c\"\n");
}

TEST_CASE("a key is renamed also where its value is broken or it stands twice", "[note]") {
  Note broken = note_of("---\nlead: a: b\nx: 1\n---\n");
  REQUIRE(broken.rename_key("lead", "intro"));
  CHECK(broken.bytes() == "---\nintro: a: b\nx: 1\n---\n");
  Note twice = note_of("---\nlead: a\nx: 1\nlead : b\n---\n");
  REQUIRE(twice.rename_key("lead", "intro"));
  CHECK(twice.bytes() == "---\nintro: a\nx: 1\nintro : b\n---\n");
}

TEST_CASE("headings in a block text within a map are its text, not comments", "[note]") {
  const std::string text =
      "---\n"
      "templates:\n"
      "  repair:\n"
      "    fields:\n"
      "      status: open\n"
      "      tags: [a]\n"
      "    body: |\n"
      "      Noticed.\n"
      "\n"
      "      ## What is broken\n"
      "\n"
      "      ## Who has the tools\n"
      "# a comment\n"
      "next: 1\n"
      "---\n";
  Note note = note_of(text);
  Value templates = read_untyped(*note.find("templates"));
  templates.find("repair")->find("fields")->map()[0].key = "state";
  REQUIRE(note.set("templates", templates));
  CHECK(note.bytes() == replaced(text, "status: open", "state: open"));
  REQUIRE(note.remove("templates"));
  CHECK(note.bytes() == "---\n# a comment\nnext: 1\n---\n");
}
