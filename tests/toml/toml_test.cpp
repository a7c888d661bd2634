// TOML front matter: read like YAML's, changed one value at a time, and refused by name where it
// cannot be changed in place.
#include <catch2/catch.hpp>

#include "note/note.h"
#include "note/row_codec.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

constexpr std::string_view hugo =
    "+++\n"
    "# a page\n"
    "title = \"Dune\"   # the first\n"
    "slug = 'c:\\dune'\n"
    "date = 1965-08-01\n"
    "pages = 0x1F4\n"
    "price = 1.10\n"
    "draft = false\n"
    "tags = [\"sf\", \"desert\"]\n"
    "stops = [\n    \"one\",\n    \"two\",\n]\n"
    "about = \"\"\"\nTwo\nlines\"\"\"\n"
    "where = { city = \"Arrakeen\", x = 1 }\n"
    "site.theme = \"sand\"\n"
    "\n"
    "[params]\n"
    "level = 3\n"
    "[[parts]]\nname = \"one\"\n"
    "+++\n"
    "\nThe text.\n";

Note parsed(std::string bytes) {
  auto note = Note::parse(std::move(bytes), NoteFormat::markdown);
  INFO((note ? "" : note.error().message));
  REQUIRE(note);
  return *std::move(note);
}

Value value_of(const Note& note, std::string_view key) {
  const Node* node = note.find(key);
  INFO(key);
  REQUIRE(node != nullptr);
  return read_untyped(*node);
}

Column column_of(ColumnType type) {
  Column column;
  column.id = "c";
  column.type = type;
  column.type_name = name_of(type);
  return column;
}

// The note with `old_line` in place of `new_line`: one-field diffs, told as such.
std::string with(std::string_view old_line, std::string_view new_line) {
  std::string bytes(hugo);
  const std::size_t at = bytes.find(old_line);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, old_line.size(), new_line);
}

TEST_CASE("TOML is read with its kinds, its spellings and its order", "[note]") {
  const Note note = parsed(std::string(hugo));
  CHECK(note.issues().empty());
  CHECK(note.body() == "The text.\n");
  CHECK(note.keys() == std::vector<std::string>{"title",
                                                "slug",
                                                "date",
                                                "pages",
                                                "price",
                                                "draft",
                                                "tags",
                                                "stops",
                                                "about",
                                                "where",
                                                "site",
                                                "params",
                                                "parts"});
  CHECK(value_of(note, "title") == Value("Dune"));
  CHECK(value_of(note, "slug") == Value("c:\\dune"));
  CHECK(value_of(note, "date") == Value("1965-08-01"));
  CHECK(value_of(note, "pages") == Value(500));
  CHECK(note.find("price")->text == "1.10");
  CHECK(value_of(note, "draft") == Value(false));
  CHECK(value_of(note, "tags") == Value(List{"sf", "desert"}));
  CHECK(value_of(note, "about") == Value("Two\nlines"));
  CHECK(value_of(note, "where") == Value(Map{{"city", "Arrakeen"}, {"x", 1}}));
  CHECK(value_of(note, "site") == Value(Map{{"theme", "sand"}}));
  CHECK(value_of(note, "params") == Value(Map{{"level", 3}}));
  CHECK(value_of(note, "parts") == Value(List{Map{{"name", "one"}}}));
  CHECK(note.find_field("price")->line == 7);
}

TEST_CASE("setting a TOML field changes its value and no other byte", "[note]") {
  struct Case {
    std::string key;
    Value value;
    std::string old_line;
    std::string new_line;
    ColumnType type = ColumnType::json;
  };
  const std::vector<Case> cases{
      {"title", "say \"hi\"\\", "\"Dune\"   #", "\"say \\\"hi\\\"\\\\\"   #"},
      {"slug", "d:\\x", "'c:\\dune'", "'d:\\x'"},
      {"slug", "it's", "'c:\\dune'", "\"it's\""},
      {"date", "2026-01-31", "1965-08-01", "2026-01-31", ColumnType::date},
      {"date", "2026-01-31", "1965-08-01", "\"2026-01-31\"", ColumnType::text},
      {"date", "2026-01-31 09:05:00", "1965-08-01", "2026-01-31 09:05:00", ColumnType::datetime},
      {"date", "2026-01-31 9:05", "1965-08-01", "\"2026-01-31 9:05\"", ColumnType::datetime},
      {"pages", 7, "0x1F4", "7", ColumnType::number},
      {"price", 2.0, "1.10", "2.0", ColumnType::number},
      {"draft", true, "false", "true", ColumnType::checkbox},
      {"tags", List{"sf", "new, \"x\""}, "\"desert\"]", "\"new, \\\"x\\\"\"]", ColumnType::list},
      {"tags", List{}, "[\"sf\", \"desert\"]", "[]", ColumnType::list},
      {"stops", List{"one", "two", "three"}, "\"two\",\n", "\"two\",\n    \"three\",\n"},
      {"stops", List{"two"}, "    \"one\",\n", ""},
      {"about",
       "Three\n\"\"\"\nlines\\",
       "Two\nlines\"\"\"",
       "Three\n\\\"\\\"\\\"\nlines\\\\\"\"\""},
      {"where",
       Map{{"city", "Sietch"}},
       "{ city = \"Arrakeen\", x = 1 }",
       "{ city = \"Sietch\" }"}};
  for (const Case& one : cases) {
    Note note = parsed(std::string(hugo));
    const Column column = column_of(one.type);
    const auto edit = note.set(one.key, one.value, {&column, {}});
    INFO(one.key << " " << to_display(one.value) << (edit ? "" : edit.error().message));
    REQUIRE(edit);
    CHECK(note.bytes() == with(one.old_line, one.new_line));
    const auto again = note.set(one.key, one.value, {&column, {}});
    CHECK((again && *again == Edit::unchanged));
  }
}

TEST_CASE("new TOML fields go where neighbours have them, above all tables", "[note]") {
  Note note = parsed(std::string(hugo));
  const std::vector<std::string> order{"title", "author", "slug"};
  REQUIRE(note.set("author", "Frank", {nullptr, order}));
  CHECK(note.bytes() == with("slug =", "author = \"Frank\"\nslug ="));
  note = parsed(std::string(hugo));
  REQUIRE(note.set("odd key", List{1, "a"}));
  CHECK(note.bytes() == with("x = 1 }\n", "x = 1 }\n\"odd key\" = [1, \"a\"]\n"));
  note = parsed("+++\n[a]\nb = 1\n+++\n");
  REQUIRE(note.set("c", true));
  CHECK(note.bytes() == "+++\nc = true\n[a]\nb = 1\n+++\n");
  note = parsed("+++\n+++\nText\n");
  REQUIRE(note.set("c", 1.5));
  CHECK(note.bytes() == "+++\nc = 1.5\n+++\nText\n");
}

TEST_CASE("a TOML field is removed with its lines, and renamed in its place", "[note]") {
  Note note = parsed(std::string(hugo));
  REQUIRE(note.remove("stops"));
  CHECK(note.bytes() == with("stops = [\n    \"one\",\n    \"two\",\n]\n", ""));
  note = parsed(std::string(hugo));
  REQUIRE(note.rename_key("title", "main title"));
  CHECK(note.bytes() == with("title =", "\"main title\" ="));
}

TEST_CASE("what TOML spreads over a file is refused by its name", "[note]") {
  for (const char* key : {"params", "parts", "site"}) {
    Note note = parsed(std::string(hugo));
    for (const auto& edit : {note.set(key, "x"), note.remove(key), note.rename_key(key, "other")}) {
      REQUIRE_FALSE(edit);
      CHECK(edit.error().message.find("'" + std::string(key) + "'") == 0);
    }
    CHECK(note.bytes() == hugo);
  }
  Note commented = parsed("+++\na = [\n  1, # why\n  2\n]\n+++\n");
  CHECK_FALSE(commented.set("a", List{1, 2, 3}));
  CHECK_FALSE(commented.set("a", Value()));
  CHECK(commented.bytes() == "+++\na = [\n  1, # why\n  2\n]\n+++\n");
}

TEST_CASE("line ends, a byte order mark and awkward text stay in TOML", "[note]") {
  Note note = parsed("\xEF\xBB\xBF+++\r\ntitle = \"a\"\r\nn = 1\r\n+++\r\n\r\nBody\r\n");
  REQUIRE(note.set("n", 2));
  REQUIRE(note.set("new", "x"));
  CHECK(note.bytes() ==
        "\xEF\xBB\xBF+++\r\ntitle = \"a\"\r\nn = 2\r\nnew = \"x\"\r\n+++\r\n\r\nBody\r\n");
  const Column text = column_of(ColumnType::text);
  for (const char* awkward : {"",
                              "yes",
                              "012",
                              "+++",
                              "a\nb",
                              "a\r\nb",
                              "\x01\x7F",
                              "\"\"\"",
                              "'''",
                              "\\",
                              "\\u0041",
                              "# no comment",
                              "é\xF0\x9F\x98\x80",
                              " a ",
                              "\t"}) {
    INFO(awkward);
    REQUIRE(note.set("title", awkward, {&text, {}}));
    CHECK(value_of(note, "title") == Value(awkward));
  }
}

TEST_CASE("broken TOML hides the broken field and no other", "[note]") {
  Note note =
      parsed("+++\na = 1\nb = wrong value\nc = \"ok\"\nnonsense\na.x = 2\n[t]\nd = 1\n+++\n");
  CHECK(value_of(note, "c") == Value("ok"));
  CHECK(value_of(note, "t") == Value(Map{{"d", 1}}));
  CHECK(note.find("b") == nullptr);
  std::string places;
  for (const Issue& issue : note.issues())
    places += std::to_string(issue.line) + issue.rule + " ";
  CHECK(places == "3toml 5toml ");
  REQUIRE(note.set("b", "right"));
  CHECK(note.bytes() ==
        "+++\na = 1\nb = \"right\"\nc = \"ok\"\nnonsense\na.x = 2\n[t]\nd = 1\n+++\n");
  const Note twice = parsed("+++\na = 1\na = 2\nb = 3\n+++\n");
  CHECK(twice.find("a") == nullptr);
  CHECK(value_of(twice, "b") == Value(3));
}

TEST_CASE("every cut of a TOML note parses or names a line", "[note]") {
  for (std::size_t size = 0; size <= hugo.size(); ++size) {
    const auto note = Note::parse(std::string(hugo.substr(0, size)), NoteFormat::markdown);
    if (note) CHECK(note->bytes() == hugo.substr(0, size));
  }
}

}  // namespace
}  // namespace notesdb
