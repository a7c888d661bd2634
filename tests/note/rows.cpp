#include <catch2/catch.hpp>

#include "note/row_codec.h"
#include "schema/document.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

Column column_of(ColumnType type, std::string id = "a") {
  Column column;
  column.id = std::move(id);
  column.type = type;
  return column;
}

Value plain_as(ColumnType type, std::string_view text) {
  return read_as(column_of(type), NodeStyle::plain, text).value;
}

bool fits(ColumnType type, std::string_view text) {
  return read_as(column_of(type), NodeStyle::plain, text).fits();
}

constexpr std::string_view schema_text = R"(---
name: Stories   # for people
color: red
columns:
  - id: title
    type: text
    required: true
  # the state
  - id: status
    type: select
    options: [open, done]
    default: open
  - {id: points, type: number, min: 0}
  - id: due
    type: date
  - id: tags
    type: list
  - id: data
    type: json
views:
  - id: board
    type: board
    group_by: status
    sort_by: due
    sort_desc: true
next_row_id: 7
---
Notes for people.
)";

SchemaDocument schema_of(std::string_view text) {
  auto document = parse_schema(std::string(text), NoteFormat::markdown);
  REQUIRE(document);
  return std::move(*document);
}

}  // namespace

TEST_CASE("a text column reads every plain spelling as it stands", "[note]") {
  for (std::string_view text :
       {"yes", "012", "1.10", "12:30", "2026-01-01", "0671037706", "true"}) {
    CHECK(plain_as(ColumnType::text, text) == Value(text));
    CHECK(fits(ColumnType::text, text));
  }
  CHECK(plain_as(ColumnType::text, "~").is_null());
}

TEST_CASE("a number column reads every spelling of a number and no other text", "[note]") {
  CHECK(plain_as(ColumnType::number, "012") == Value(12));
  CHECK(plain_as(ColumnType::number, "+1") == Value(1));
  CHECK(plain_as(ColumnType::number, ".5") == Value(0.5));
  CHECK(plain_as(ColumnType::number, "1.") == Value(1.0));
  CHECK(plain_as(ColumnType::number, "1e3") == Value(1000.0));
  CHECK(plain_as(ColumnType::number, "0x1F") == Value(31));
  CHECK(plain_as(ColumnType::number, "0o17") == Value(15));
  CHECK(plain_as(ColumnType::number, "9007199254740993") == Value(std::int64_t{9007199254740993}));
  CHECK(plain_as(ColumnType::number, "9223372036854775808") == Value("9223372036854775808"));
  for (std::string_view text : {"9223372036854775808", "seven", "1_000", "12:30", "1e999", ".inf"})
    CHECK(!fits(ColumnType::number, text));
}

TEST_CASE("without a column only what loses nothing becomes a number", "[note]") {
  for (std::string_view text : {"yes",
                                "no",
                                "on",
                                "off",
                                "y",
                                "012",
                                "+1",
                                "1.",
                                ".5",
                                "1_000",
                                "1234567890123456",
                                "0.1234567890123456",
                                ".inf",
                                ".nan",
                                "1:30",
                                "-012",
                                "0b1",
                                "2026-01-01",
                                "-",
                                "1e",
                                "--1"}) {
    INFO(text);
    CHECK(read_untyped_plain(text) == Value(text));
  }
  CHECK(read_untyped_plain("-5") == Value(-5));
  CHECK(read_untyped_plain("0") == Value(0));
  CHECK(read_untyped_plain("1.50") == Value(1.5));
  CHECK(read_untyped_plain("True") == Value(true));
  CHECK(read_untyped_plain("NULL").is_null());
}

TEST_CASE("dates and checkboxes that do not fit stand as they are with an issue", "[note]") {
  CHECK(fits(ColumnType::date, "2026-01-31 9:05"));
  CHECK(!fits(ColumnType::date, "06/08/2017"));
  CHECK(plain_as(ColumnType::date, "06/08/2017") == Value("06/08/2017"));
  CHECK(plain_as(ColumnType::checkbox, "true") == Value(true));
  CHECK(!fits(ColumnType::checkbox, "yes"));
  CHECK(!fits(ColumnType::list, "one"));
}

TEST_CASE("a row has its fields in the schema's order, the rest as extra, and issues by line",
          "[note]") {
  Schema schema = schema_of(schema_text).schema;
  auto note = Note::parse(
      "---\nzip: 012\ntags:\n- a\n- \ndue: soon\npoints: 3\ntitle: 2.0\nbad: a: b\n---\n\nText.\n",
      NoteFormat::markdown);
  REQUIRE(note);
  Row row = read_row(schema, *note);
  Map fields{{"title", "2.0"}, {"points", 3}, {"due", "soon"}, {"tags", List{"a", nullptr}}};
  CHECK(row.fields == fields);
  CHECK(row.extra == Map{{"zip", "012"}});
  CHECK(row.body == "Text.\n");
  REQUIRE(row.issues.size() == 2);
  CHECK(row.issues[0].line == 6);
  CHECK(row.issues[0].rule == "type");
  CHECK(row.issues[1].rule == "yaml");
}

TEST_CASE("a new row is written in the schema's order and reads back", "[note]") {
  Schema schema = schema_of(schema_text).schema;
  Map fields{
      {"tags", List{"a, b", "yes"}}, {"due", "2026-01-31"}, {"title", "---"}, {"data", nullptr}};
  auto bytes = new_row(schema, fields, "---\nnot: fields\n");
  REQUIRE(bytes);
  CHECK(*bytes ==
        "---\ntitle: \"---\"\ndue: 2026-01-31\ntags:\n  - a, b\n  - \"yes\"\n---\n\n---\nnot: "
        "fields\n");
  Row row = read_row(schema, *Note::parse(*bytes, NoteFormat::markdown));
  CHECK(row.body == "---\nnot: fields\n");
  CHECK(row.issues.empty());
  CHECK(*new_row(schema, {{"points", 1}}, "") == "---\npoints: 1\n---\n");
  CHECK(*new_row(schema, {{"points", 1}}, "", NoteFormat::yaml) == "points: 1\n");
  CHECK(!new_row(schema, {}, "text", NoteFormat::yaml));
}

TEST_CASE("several fields are written or none", "[note]") {
  Schema schema = schema_of(schema_text).schema;
  Note note = *Note::parse("---\ntitle: a\npoints: 1\n---\n", NoteFormat::markdown);
  CHECK(!write_fields(schema, {{"title", "b"}, {"data", "\xFF"}}, {}, note));
  CHECK(note.bytes() == "---\ntitle: a\npoints: 1\n---\n");
  auto edit =
      write_fields(schema, {{"due", "2026-01-31"}, {"title", "b"}, {"tags", nullptr}}, {}, note);
  REQUIRE(edit);
  CHECK(note.bytes() == "---\ntitle: b\npoints: 1\ndue: 2026-01-31\n---\n");
}

TEST_CASE("a schema is read with its columns, views and counter", "[note]") {
  SchemaDocument document = schema_of(schema_text);
  const Schema& schema = document.schema;
  CHECK(document.issues.empty());
  CHECK(schema.name == "Stories");
  CHECK(schema.column_ids() ==
        std::vector<std::string>{"title", "status", "points", "due", "tags", "data"});
  CHECK(schema.find("status")->options == std::vector<std::string>{"open", "done"});
  CHECK(schema.find("points")->min == Value(0));
  CHECK(schema.find_view("board")->sorts ==
        Value(List{Map{{"field", "due"}, {"direction", "desc"}}}));
  CHECK(schema.next_row_id == 7);
  CHECK(document.note.body() == "Notes for people.\n");
}

TEST_CASE("the counter of a schema changes alone, and is never added", "[note]") {
  std::string expected(schema_text);
  expected.replace(expected.find("next_row_id: 7"), 14, "next_row_id: 8");
  CHECK(*with_next_row_id(schema_of(schema_text), 8) == expected);
  std::string_view without = "---\nname: x\ncolumns: []\n---\n";
  CHECK(*with_next_row_id(schema_of(without), 8) == without);
}

TEST_CASE("what is wrong in a schema is an issue and hides nothing else", "[note]") {
  SchemaDocument document = schema_of(
      "---\ncolumns:\n  - id: a\n    type: rating\n  - type: text\n  - id: a\n    type: text\n  - "
      "id: "
      "_b\n    type: text\n  - id: c\n    type: select\n  - id: d\n    type: rollup\n  - id: e\n   "
      " "
      "type: relation\nviews:\n  - type: calendar\nrow_id: {style: random}\n---\n");
  CHECK(document.schema.column_ids() == std::vector<std::string>{"a", "c", "d", "e"});
  CHECK(document.schema.find("a")->type == ColumnType::unknown);
  CHECK(document.schema.find("d")->type == ColumnType::rollup);
  std::vector<std::string> messages;
  for (const Issue& issue : document.issues) {
    CHECK(issue.rule == "schema");
    messages.push_back(std::to_string(issue.line) + " " + issue.message.substr(0, 28));
  }
  CHECK(messages.size() == 9);
  for (std::string_view text : {"---\nname: x\n---\n", "---\nname: x\ncolumns: 5\n---\n", "no"})
    CHECK(!parse_schema(std::string(text), NoteFormat::markdown));
}

TEST_CASE("a written schema reads back as the same schema", "[note]") {
  Schema schema = schema_of(schema_text).schema;
  schema.description = "yes: a #hostile 'description'\nof two lines";
  schema.templates = {{"bug", "Bug", "Bug {{date}}", {{"status", "open"}}, "## Steps\n\n1. x\n"}};
  schema.row_id = {RowIdStyle::slug, "s-", 4, "title"};
  schema.rows = {{"**/*.md"}, {"drafts/*"}, RowLayout::folder};
  for (NoteFormat format : {NoteFormat::markdown, NoteFormat::yaml}) {
    auto bytes = write_schema(schema, format == NoteFormat::yaml ? "" : "About.\n", format);
    REQUIRE(bytes);
    auto document = parse_schema(*bytes, format);
    REQUIRE(document);
    CHECK(document->issues.empty());
    CHECK(to_map(document->schema) == to_map(schema));
  }
}

}  // namespace notesdb
