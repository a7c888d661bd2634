// What --fix writes, and what it leaves to a person.
#include "note/fix.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "note/row_codec.h"

namespace notesdb {
namespace {

Schema made_schema() {
  Schema schema;
  const auto add = [&](std::string id, ColumnType type, std::vector<std::string> options = {}) {
    Column column;
    column.id = column.name = std::move(id);
    column.type = type;
    column.type_name = name_of(type);
    column.options = std::move(options);
    schema.columns.push_back(std::move(column));
  };
  add("title", ColumnType::text);
  add("status", ColumnType::select, {"open", "done"});
  add("tags", ColumnType::multi_select, {"Soup", "fish", "FISH"});
  add("due", ColumnType::date);
  add("ok", ColumnType::checkbox);
  return schema;
}

// The front matter after fixing.
std::string fixed(std::string_view fields) {
  auto note =
      Note::parse("---\n" + std::string(fields) + "---\nBody: @stays\n", NoteFormat::markdown);
  REQUIRE(note);
  const std::string before = note->bytes();
  const bool any = !fix_note(made_schema(), *note).empty();
  CHECK(any == (note->bytes() != before));
  CHECK(note->body() == "Body: @stays\n");
  const std::string& bytes = note->bytes();
  return bytes.substr(4, bytes.rfind("---\n") - 4);
}

TEST_CASE("the mistakes people make in YAML are fixed as they were meant", "[note]") {
  CHECK(fixed("title: Dune: Messiah\n") == "title: \"Dune: Messiah\"\n");
  CHECK(fixed("by: @anna\n") == "by: \"@anna\"\n");
  CHECK(fixed("x: `code`\n") == "x: \"`code`\"\n");
  CHECK(fixed("said: \"a \"b\" c\"\n") == "said: a \"b\" c\n");
  CHECK(fixed("keys: [#a, #b]\n") == "keys: [\"#a\", \"#b\"]\n");
  CHECK(fixed("keys:\n\t- a\n\t- b\n") == "keys:\n  - a\n  - b\n");
  CHECK(fixed("title: {{title}}\n") == "title: \"{{title}}\"\n");
  CHECK(fixed("title: {{date}} - notes\n") == "title: \"{{date}} - notes\"\n");
  CHECK(fixed("text: 'one\ntwo'\n") == "text: one two\n");
}

TEST_CASE("a fixed field keeps its neighbours byte for byte", "[note]") {
  CHECK(fixed("a: 'kept'   # why\ntitle: x: y\nz:   [1,2]\n") ==
        "a: 'kept'   # why\ntitle: \"x: y\"\nz:   [1,2]\n");
}

TEST_CASE("a duplicate key is fixed where one of the two says nothing of its own", "[note]") {
  CHECK(fixed("title: a\ntitle: a\n") == "title: a\n");
  CHECK(fixed("tags:\ntitle: a\ntags: [Soup]\n") == "title: a\ntags: [Soup]\n");
  CHECK(fixed("title: a\ntitle: b\n") == "title: a\ntitle: b\n");
}

TEST_CASE("what may be meant in two ways is left alone", "[note]") {
  for (const char* fields : {"title: x: y # a comment?\n",
                             "said: \"a \\\" \"b\n",
                             "title: *alias\n",
                             "list: [#a, {b: c}]\n",
                             "status: dnoe\n",
                             "tags: [Fish]\n",
                             "due: 06/08/2017\n",
                             "due: 2026/13/01\n",
                             "ok: maybe\n"}) {
    INFO(fields);
    CHECK(fixed(fields) == fields);
  }
}

TEST_CASE("values that only differ in spelling become what their column holds", "[note]") {
  CHECK(fixed("status: Done\n") == "status: done\n");
  CHECK(fixed("tags: [soup, fish]\n") == "tags: [Soup, fish]\n");
  CHECK(fixed("tags: fish\n") == "tags: [fish]\n");
  CHECK(fixed("tags: a, b\n") == "tags: a, b\n");
  CHECK(fixed("due: 2026/1/5\n") == "due: 2026-01-05\n");
  CHECK(fixed("ok: Yes # sure\n") == "ok: true # sure\n");
}

TEST_CASE("fixing twice is fixing once", "[note]") {
  const std::string once = fixed("title: a: b\nby: @x\nstatus: OPEN\nkeys: [#a]\n");
  CHECK(fixed(once) == once);
}

}  // namespace
}  // namespace notesdb
