#include "git/renumber.h"

#include <catch2/catch.hpp>

#include "note/links.h"

using namespace notesdb;

TEST_CASE("a counter goes on above the highest id of both sides", "[git]") {
  RowIdRule rule;
  CHECK(free_row_id(rule, "row-012", {"row-012", "row-013", "row-9"}) == "row-014");
  CHECK(free_row_id(rule, "row-999", {"row-999"}) == "row-1000");
  CHECK(free_row_id(rule, "my-note", {"my-note", "my-note-2"}) == "my-note-3");
}

TEST_CASE("every reference to a row follows its new id and no other text does", "[git]") {
  Schema schema;
  Column epic;
  epic.id = "epic";
  epic.type = ColumnType::relation;
  epic.target = "stories";
  Column other = epic;
  other.id = "person";
  other.target = "people";
  schema.columns = {epic, other};
  Result<Note> note = Note::parse(
      "---\nepic: row-1  # why\nperson: row-1\n---\nrow-1 [[row-1]] [[row-1#top|row-1]] "
      "[[stories/row-1]] [[people/row-1]]\n[t](row-1.md#a) [t](../stories/row-1.md) "
      "[t](../people/row-1.md) [[row-11]]\n",
      NoteFormat::markdown);
  REQUIRE(note);
  Relink how{"stories", "row-1", "row-7", {}};
  how.rewrite = rewrite_by_id("stories", how, true);
  Result<Edit> edit = relink(schema, how, *note);
  REQUIRE(edit);
  CHECK(note->bytes() ==
        "---\nepic: row-7  # why\nperson: row-1\n---\nrow-1 [[row-7]] [[row-7#top|row-7]] "
        "[[stories/row-7]] [[people/row-1]]\n[t](row-7.md#a) [t](../stories/row-7.md) "
        "[t](../people/row-1.md) [[row-11]]\n");
}

TEST_CASE("from another database a row is named with its database", "[git]") {
  Relink how{"stories", "row-1", "row-7", {}};
  how.rewrite = rewrite_by_id("people", how, false);
  CHECK(relink_text(how, "[[row-1]] [[stories/row-1]] [a](../stories/row-1.md)") ==
        "[[row-1]] [[stories/row-7]] [a](../stories/row-7.md)");
}
