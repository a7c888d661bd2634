#include <catch2/catch.hpp>

#include "note/note.h"

namespace notesdb {

namespace {

Note parsed(std::string bytes, NoteFormat format = NoteFormat::markdown) {
  auto note = Note::parse(std::move(bytes), format);
  REQUIRE(note);
  return std::move(*note);
}

// The file after one field was set.
std::string with(std::string bytes,
                 std::string_view key,
                 const Value& value,
                 FieldStyle style = {}) {
  Note note = parsed(std::move(bytes));
  auto edit = note.set(key, value, style);
  REQUIRE(edit);
  return note.bytes();
}

std::string without(std::string bytes, std::string_view key) {
  Note note = parsed(std::move(bytes));
  REQUIRE(note.remove(key));
  return note.bytes();
}

Column column_of(ColumnType type) {
  Column column;
  column.id = "a";
  column.type = type;
  return column;
}

}  // namespace

TEST_CASE("setting a field keeps the comment behind it and the blanks before it", "[note]") {
  CHECK(with("---\na:   x   # why\nb: 1\n---\n", "a", "v") == "---\na:   v   # why\nb: 1\n---\n");
  CHECK(with("---\na: # why\n---\n", "a", "v") == "---\na: v # why\n---\n");
  CHECK(with("---\na: \n---\n", "a", 5) == "---\na: 5\n---\n");
  CHECK(with("---\na: x # why\n---\n", "a", nullptr) == "---\na: # why\n---\n");
  CHECK(with("---\na: x # why\n---\n", "a", List{"p", "q"}) ==
        "---\na: # why\n  - p\n  - q\n---\n");
}

TEST_CASE("setting a field keeps its kind of quotes where they can hold the text", "[note]") {
  CHECK(with("---\na: 'x'\n---\n", "a", "it's") == "---\na: 'it''s'\n---\n");
  CHECK(with("---\na: \"x\"\n---\n", "a", "y") == "---\na: \"y\"\n---\n");
  CHECK(with("---\na: 'x'\n---\n", "a", "two\nlines") == "---\na: \"two\\nlines\"\n---\n");
  CHECK(with("---\na: x\n---\n", "a", "yes") == "---\na: \"yes\"\n---\n");
}

TEST_CASE("one item more or less is one line of a block list", "[note]") {
  std::string bytes = "---\na:\n  # first\n  -  x\n\n  - 'y' # yes\n  - z\nb: 1\n---\n";
  CHECK(with(bytes, "a", List{"x", "y", "new", "z"}) ==
        "---\na:\n  # first\n  -  x\n\n  - 'y' # yes\n  -  new\n  - z\nb: 1\n---\n");
  CHECK(with(bytes, "a", List{"x", "z"}) == "---\na:\n  # first\n  -  x\n\n  - z\nb: 1\n---\n");
  CHECK(with(bytes, "a", List{"new", "x", "y", "z"}) ==
        "---\na:\n  # first\n  -  new\n  -  x\n\n  - 'y' # yes\n  - z\nb: 1\n---\n");
}

TEST_CASE("a flow list stays one and keeps the spelling of its items", "[note]") {
  CHECK(with("---\na: [ x,'y' ,  z ] # c\n---\n", "a", List{"x", "y", "z", "w"}) ==
        "---\na: [ x,'y' ,  z,w ] # c\n---\n");
  CHECK(with("---\na: [x, \"a, b\"]\n---\n", "a", List{"a, b"}) == "---\na: [\"a, b\"]\n---\n");
  CHECK(with("---\na: [x]\n---\n", "a", List{}) == "---\na: []\n---\n");
}

TEST_CASE("a new list is written as the file writes its lists", "[note]") {
  CHECK(with("---\na:\n- x\nb:\n---\n", "b", List{"v"}) == "---\na:\n- x\nb:\n- v\n---\n");
  CHECK(with("---\na: [x]\nb:\n---\n", "b", List{"v"}) == "---\na: [x]\nb: [v]\n---\n");
  CHECK(with("---\nb:\n---\n", "b", List{"v"}) == "---\nb:\n  - v\n---\n");
}

TEST_CASE("a block text stays one", "[note]") {
  CHECK(with("---\na: |\n   one\n   two\nb: 1\n---\n", "a", "x\n\ny\n") ==
        "---\na: |\n   x\n\n   y\nb: 1\n---\n");
  CHECK(with("---\na: >-\n  one\n  two\n---\n", "a", "x\ny") == "---\na: >-\n  x\n\n  y\n---\n");
  CHECK(with("---\r\na: |-\r\n  one\r\n---\r\n", "a", "x\ny") ==
        "---\r\na: |-\r\n  x\r\n  y\r\n---\r\n");
}

TEST_CASE("a nested map is replaced in the style of the file", "[note]") {
  CHECK(with("---\na:\n    k: 1\n    l: [x]\nb: 2\n---\n", "a", Map{{"k", 2}, {"m", List{"v"}}}) ==
        "---\na:\n    k: 2\n    m: [v]\nb: 2\n---\n");
  CHECK(with("---\na: {k: 1}\n---\n", "a", Map{{"k", "x, y"}}) == "---\na: {k: \"x, y\"}\n---\n");
}

TEST_CASE("a new key goes where the neighbours have it", "[note]") {
  std::vector<std::string> order{"title", "status", "due", "tags"};
  FieldStyle style{nullptr, order};
  CHECK(with("---\ntitle: x\n# c\ntags: []\n---\n", "due", "soon", style) ==
        "---\ntitle: x\ndue: soon\n# c\ntags: []\n---\n");
  CHECK(with("---\ntags: []\n---\n", "title", "x", style) == "---\ntitle: x\ntags: []\n---\n");
  CHECK(with("---\ntitle: x\nother: 1\n# end\n---\n", "else", "v", style) ==
        "---\ntitle: x\nother: 1\nelse: v\n# end\n---\n");
}

TEST_CASE("byte order mark, CRLF, nested maps and comments stay when one value changes", "[note]") {
  std::string bytes =
      "\xEF\xBB\xBF---\r\n# top\r\na: {x: 1} # nested\r\nb: old # c\r\nlist:\r\n- k: "
      "v\r\n---\r\nbody";
  std::string expected = bytes;
  expected.replace(expected.find("old"), 3, "new");
  CHECK(with(bytes, "b", "new") == expected);
}

TEST_CASE("a file without front matter gets one and keeps its body", "[note]") {
  Note note = parsed("# Title\n\n---\n");
  REQUIRE(note.set("a", 1));
  CHECK(note.bytes() == "---\na: 1\n---\n\n# Title\n\n---\n");
  CHECK(note.body() == "# Title\n\n---\n");
  CHECK(with("", "a", 1) == "---\na: 1\n---\n");
  CHECK(with("\xEF\xBB\xBFx", "a", 1) == "\xEF\xBB\xBF---\na: 1\n---\n\nx");
}

TEST_CASE("removing a field takes its lines and leaves the comment above", "[note]") {
  CHECK(without("---\n# about a\na:\n  - x # c\n  - y\n\nb: 1\n---\n", "a") ==
        "---\n# about a\n\nb: 1\n---\n");
  CHECK(without("---\na: 1\n---\nbody", "a") == "---\n---\nbody");
}

TEST_CASE("a broken value costs its own field and setting it fixes it", "[note]") {
  std::string bytes = "---\ntitle: Dune: the book\nauthor: Frank\n---\nbody\n";
  Note note = parsed(bytes);
  CHECK(note.find("title") == nullptr);
  CHECK(note.find("author")->text == "Frank");
  REQUIRE(note.issues().size() == 1);
  CHECK(to_text(note.issues()[0]) ==
        ":2:12: error: ': ' within an unquoted value; quote the value [yaml]");
  REQUIRE(note.set("author", "Herbert"));
  CHECK(note.bytes() == "---\ntitle: Dune: the book\nauthor: Herbert\n---\nbody\n");
  REQUIRE(note.set("title", "Dune: the book"));
  CHECK(note.bytes() == "---\ntitle: \"Dune: the book\"\nauthor: Herbert\n---\nbody\n");
  CHECK(note.issues().empty());
}

TEST_CASE("a duplicate key is not read and setting it leaves one", "[note]") {
  Note note = parsed("---\na: 1\nb: 2\na: 3\n---\n");
  CHECK(note.find("a") == nullptr);
  REQUIRE(note.issues().size() == 1);
  CHECK(note.issues()[0].line == 4);
  REQUIRE(note.set("a", 4));
  CHECK(note.bytes() == "---\na: 4\nb: 2\n---\n");
}

TEST_CASE("quoted text that goes on at column 0 is read as other readers of YAML do", "[note]") {
  for (const char* lines : {"one\ntwo", "one\ntwo:", "one\n\ntwo: 2\n# three", "one\n- two"}) {
    const std::string text = "---\na: \"" + std::string(lines) + "\"  # why\nb: 1\n---\n";
    Note note = parsed(text);
    INFO(text);
    CHECK(note.issues().empty());
    CHECK(note.fields().size() == 2);
    REQUIRE(note.find("a") != nullptr);
    CHECK(note.find("a")->text.starts_with("one"));
    REQUIRE(note.set("b", 2));
    CHECK(note.bytes() == text.substr(0, text.size() - 6) + "2\n---\n");
    REQUIRE(note.set("a", "three"));
    CHECK(note.bytes() == "---\na: \"three\"  # why\nb: 2\n---\n");
  }
}

TEST_CASE("a quote that the next field closes is left open", "[note]") {
  Note note = parsed("---\na: \"one\nb: \"two\"\nc: 1\n---\n");
  CHECK(note.find("a") == nullptr);
  CHECK(note.issues().size() == 1);
  REQUIRE(note.find("b") != nullptr);
  CHECK(note.find("b")->text == "two");
}

TEST_CASE("anchors, aliases and tags are kept, not read, and not walked", "[note]") {
  Note note = parsed("---\na: &x [1]\nb: [*x, *x]\nc: !!str 1\nd: &self [*self]\ne: 5\n---\n");
  for (std::string_view key : {"a", "b", "c", "d"})
    CHECK(note.find(key) == nullptr);
  CHECK(note.issues().size() == 4);
  REQUIRE(note.set("e", 6));
  CHECK(note.bytes() == "---\na: &x [1]\nb: [*x, *x]\nc: !!str 1\nd: &self [*self]\ne: 6\n---\n");
}

TEST_CASE("a value that is too deep or too large is refused, not read", "[note]") {
  Note note =
      parsed("---\ndeep: " + std::string(5000, '[') + std::string(5000, ']') + "\nmany:\n  - {}\n" +
             [] {
               std::string items;
               for (int i = 0; i < 11000; ++i)
                 items += "  - {}\n";
               return items;
             }() +
             "ok: 1\n---\n");
  CHECK(note.find("deep") == nullptr);
  CHECK(note.find("many") == nullptr);
  CHECK(note.find("ok") != nullptr);
  Value deep = "x";
  for (int i = 0; i < 100; ++i)
    deep = List{deep};
  CHECK(!note.set("ok", deep));
  CHECK(!note.set("ok", "\xFF"));
}

TEST_CASE("an unreadable row names its line", "[note]") {
  for (std::string_view bytes : {"---\na: 1\n", "---\njust prose\n---\n", "---\n{a: 1}\n---\n"}) {
    auto note = Note::parse(std::string(bytes), NoteFormat::markdown);
    REQUIRE(!note);
    CHECK(note.error().code == ErrorCode::malformed_file);
    CHECK(note.error().message.starts_with("line "));
  }
  CHECK(!Note::parse("a: 1\n---\nb: 2\n", NoteFormat::yaml));
}

TEST_CASE("a column decides what is written plain", "[note]") {
  Column date = column_of(ColumnType::date);
  Column text = column_of(ColumnType::text);
  Column number = column_of(ColumnType::number);
  CHECK(with("---\na: x\n---\n", "a", "2026-01-31", {&date, {}}) == "---\na: 2026-01-31\n---\n");
  CHECK(with("---\na: x\n---\n", "a", "2026-01-31", {&text, {}}) ==
        "---\na: \"2026-01-31\"\n---\n");
  CHECK(with("---\na: x\n---\n", "a", 7, {&text, {}}) == "---\na: \"7\"\n---\n");
  CHECK(with("---\na: 012\n---\n", "a", 12, {&number, {}}) == "---\na: 012\n---\n");
  CHECK(with("---\na: 1\n---\n", "a", std::int64_t{9007199254740993}, {&number, {}}) ==
        "---\na: 9007199254740993\n---\n");
  CHECK(with("---\na: 1\n---\n", "a", 0.1 + 0.2) == "---\na: 0.30000000000000004\n---\n");
  CHECK(with("---\na: 1\n---\n", "a", 1e300) == "---\na: 1.0e+300\n---\n");
}

TEST_CASE("text added to a body stands on a line of its own", "[note]") {
  Note note = parsed("---\r\na: 1\r\n---\r\nbody");
  REQUIRE(note.append_body("more\ntext"));
  CHECK(note.bytes() == "---\r\na: 1\r\n---\r\nbody\r\nmore\r\ntext");
}

TEST_CASE("a yaml row is fields alone and keeps a missing last newline", "[note]") {
  Note note = parsed("# c\n---\na: 1\nb: x", NoteFormat::yaml);
  REQUIRE(note.set("b", List{"p", "q"}));
  CHECK(note.bytes() == "# c\n---\na: 1\nb:\n  - p\n  - q");
  REQUIRE(note.set("c", 2));
  CHECK(note.bytes() == "# c\n---\na: 1\nb:\n  - p\n  - q\nc: 2");
  CHECK(!note.set_body("text"));
}

}  // namespace notesdb
