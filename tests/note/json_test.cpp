// JSON front matter: read like YAML's, changed one member at a time with every other byte kept; and
// heads of other programs, which are told and never written.
#include <catch2/catch.hpp>

#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

constexpr std::string_view page =
    "{\n"
    "  \"title\": \"A \\\"b\\\" {c}\",\n"
    "  \"price\": 1.50,\n"
    "  \"tags\": [\"x\"]\n"
    "}\n"
    "\nBody {no}\n";

Note parsed(std::string_view bytes) {
  auto note = Note::parse(std::string(bytes), NoteFormat::markdown);
  INFO((note ? "" : note.error().message));
  REQUIRE(note);
  REQUIRE(note->bytes() == bytes);
  return *std::move(note);
}

Column column_of(ColumnType type) {
  Column column;
  column.id = "c";
  column.type = type;
  column.type_name = name_of(type);
  return column;
}

std::string replaced(std::string_view bytes, std::string_view before, std::string_view after) {
  std::string text(bytes);
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

std::string set(std::string_view bytes,
                std::string_view key,
                const Value& value,
                const Column* column = nullptr) {
  Note note = parsed(bytes);
  const auto edit = note.set(key, value, {column});
  INFO((edit ? "" : edit.error().message));
  REQUIRE(edit);
  return note.bytes();
}

std::string removed(std::string_view bytes, std::string_view key) {
  Note note = parsed(bytes);
  REQUIRE(note.remove(key));
  return note.bytes();
}

std::string failure_of(std::string_view bytes) {
  const auto note = Note::parse(std::string(bytes), NoteFormat::markdown);
  REQUIRE(!note);
  REQUIRE(note.error().code == ErrorCode::malformed_file);
  return note.error().message;
}

}  // namespace

TEST_CASE("the members of a JSON object at the first byte are fields", "[note]") {
  const Note note = parsed(page);
  REQUIRE(note.keys() == std::vector<std::string>{"title", "price", "tags"});
  REQUIRE(read_untyped(*note.find("title")) == Value("A \"b\" {c}"));
  REQUIRE(read_untyped(*note.find("price")) == Value(1.5));
  REQUIRE(read_untyped(*note.find("tags")) == Value(List{"x"}));
  REQUIRE(note.body() == "Body {no}\n");
  REQUIRE(note.issues().empty());
  REQUIRE(note.find_field("price")->line == 3);
}

TEST_CASE("setting a member of a JSON object changes its value only", "[note]") {
  Column price = column_of(ColumnType::number);
  price.decimals = 2;
  REQUIRE(set(page, "price", 2.5, &price) == replaced(page, "1.50", "2.50"));
  REQUIRE(set(page, "price", 1.5, &price) == page);
  REQUIRE(set(page, "title", "c:\\ \"q\"\n\x01 é") ==
          replaced(page, R"("A \"b\" {c}")", R"("c:\\ \"q\"\n\u0001 é")"));
  REQUIRE(set(page, "tags", List{"x", "y"}) == replaced(page, "[\"x\"]", "[\"x\", \"y\"]"));
  REQUIRE(set(page, "price", nullptr) == replaced(page, "1.50", "null"));
  const Column text = column_of(ColumnType::text);
  REQUIRE(set(page, "price", "2", &text) == replaced(page, "1.50", "\"2\""));
}

TEST_CASE("a new member of a JSON object stands behind the last one, set off as it is", "[note]") {
  REQUIRE(set(page, "draft", true) == replaced(page, "[\"x\"]", "[\"x\"],\n  \"draft\": true"));
  REQUIRE(set("{\"a\": 1}\nText\n", "b", 2) == "{\"a\": 1, \"b\": 2}\nText\n");
  REQUIRE(set("{\"a\":1,\"c\":3}\n", "b", 2) == "{\"a\":1,\"c\":3,\"b\":2}\n");
  REQUIRE(set("{}\nText\n", "b", 2) == "{\"b\": 2}\nText\n");
  REQUIRE(set("\xEF\xBB\xBF\n\n{\r\n\t\"a\": 1\r\n}\r\n", "b", 2) ==
          "\xEF\xBB\xBF\n\n{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}\r\n");
}

TEST_CASE("a removed member of a JSON object takes one comma with it", "[note]") {
  REQUIRE(removed(page, "title") == replaced(page, "\"title\": \"A \\\"b\\\" {c}\",\n  ", ""));
  REQUIRE(removed(page, "tags") == replaced(page, ",\n  \"tags\": [\"x\"]", ""));
  REQUIRE(removed("{\n  \"a\": 1\n}\nText\n", "a") == "{}\nText\n");
  Note note = parsed(page);
  REQUIRE(note.rename_key("price", "cost"));
  REQUIRE(note.bytes() == replaced(page, "\"price\"", "\"cost\""));
}

TEST_CASE("lists and maps over lines stay so in a JSON object", "[note]") {
  const std::string before = "{\n  \"l\": [\n    \"a\",\n    \"b\"\n  ]\n}\n";
  REQUIRE(set(before, "l", List{"a", "c", "d"}) ==
          "{\n  \"l\": [\n    \"a\",\n    \"c\",\n    \"d\"\n  ]\n}\n");
  REQUIRE(set(before, "l", List{}) == "{\n  \"l\": []\n}\n");
}

TEST_CASE("the body below a JSON object is set and appended to", "[note]") {
  Note note = parsed(page);
  REQUIRE(note.set_body("New\n"));
  REQUIRE(note.bytes() == replaced(page, "Body {no}\n", "New\n"));
  REQUIRE(note.append_body("More\n"));
  REQUIRE(note.bytes() == replaced(page, "Body {no}\n", "New\nMore\n"));
  Note bare = parsed("{\"a\": 1}");
  REQUIRE(bare.set_body("Text\n"));
  REQUIRE(bare.body() == "Text\n");
}

TEST_CASE("text that begins with a brace and is no JSON object is a body", "[note]") {
  for (const std::string_view body : {"{{< note >}}\n",
                                      "{% raw %}\n",
                                      "{: .class}\n",
                                      "{/* mdx */}\n",
                                      "{#id}\n",
                                      "{!x!}\n",
                                      "{}x\n",
                                      "{\"a\": 1} and more\n",
                                      "{\"said\"} she\n",
                                      "{",
                                      "{\"",
                                      "{ \"a\n"}) {
    INFO(body);
    const Note note = parsed(body);
    REQUIRE(note.fields().empty());
    REQUIRE(note.body() == body);
    REQUIRE(note.issues().empty());
  }
}

TEST_CASE("a JSON object with a mistake is told with its place", "[note]") {
  REQUIRE(failure_of("{ \"a\": 1, }\n") ==
          "line 1: the JSON front matter is not valid: unexpected ',' before '}': JSON "
          "has none after the last member");
  REQUIRE(failure_of("{\n  \"a\": 'x'\n}\n").starts_with("line 2: "));
  REQUIRE(failure_of("{\n  \"a\": 1 // why\n}\n").starts_with("line 2: "));
  REQUIRE(failure_of("{\n  \"a\": 1\n").starts_with("line 3: "));
  REQUIRE(failure_of("{\"a\": 01}\n").find("a value is missing") != std::string::npos);
  REQUIRE(failure_of("{\"a\": \"\\ud800\"}\n").find("half of a pair") != std::string::npos);
  REQUIRE(failure_of("{\"a\": \"\xFF\"}\n").find("UTF-8") != std::string::npos);
  REQUIRE(failure_of("{\"a\": " + std::string(100, '[')).find("too deep") != std::string::npos);
}

TEST_CASE("a JSON object with a key twice is read and not written", "[note]") {
  const std::string bytes = "{\n  \"a\": 1,\n  \"a\": 2,\n  \"b\": 3\n}\n";
  Note note = parsed(bytes);
  REQUIRE(read_untyped(*note.find("b")) == Value(3));
  REQUIRE(note.issues().size() == 1);
  REQUIRE(note.issues().front().rule == "json");
  REQUIRE(note.issues().front().line == 3);
  REQUIRE(!note.set("b", 4));
  REQUIRE(!note.remove("a"));
  REQUIRE(!note.rename_key("b", "c"));
  REQUIRE(note.bytes() == bytes);
}

TEST_CASE("a JSON object cut at any length parses or names a line", "[note]") {
  for (std::size_t size = 0; size <= page.size(); ++size) {
    const auto note = Note::parse(std::string(page.substr(0, size)), NoteFormat::markdown);
    if (note) REQUIRE(note->bytes() == page.substr(0, size));
    if (!note) REQUIRE(note.error().message.starts_with("line "));
  }
}

TEST_CASE("a head in another program's form is an issue and is not written", "[note]") {
  for (const std::string_view bytes : {";;;\n\"title\": \"x\"\n;;;\nText\n",
                                       "---json\n{\"title\": \"x\"}\n---\nText\n",
                                       "---toml\ntitle = 'x'\n---\n",
                                       "---js\n{}\n---\n",
                                       "```toml\n[advisory]\n```\n# T\n",
                                       "Title: x\nAuthor: y\n    and z\n\nText\n",
                                       "% Title\n% Author\n\nText\n",
                                       "#+TITLE: x\n#+TAGS[]: a b\nText\n"}) {
    INFO(bytes);
    Note note = parsed(bytes);
    REQUIRE(note.fields().empty());
    REQUIRE(note.issues().size() == 1);
    REQUIRE(note.issues().front().rule == "form");
    REQUIRE(note.issues().front().line == 1);
    for (const auto& edit : {note.set("title", "y"), note.set_body("y"), note.append_body("y")}) {
      REQUIRE(!edit);
      REQUIRE(edit.error().code == ErrorCode::malformed_file);
      REQUIRE(edit.error().message.find("front matter that is not written") != std::string::npos);
    }
    REQUIRE(note.bytes() == bytes);
  }
}

TEST_CASE("text that only looks like another program's head is a body", "[note]") {
  for (const std::string_view body : {"Note: remember this\n\nText\n",
                                      "Later: call\n",
                                      ";;; a comment\n",
                                      ";;;\n",
                                      "---json\n",
                                      "--- x\n",
                                      "```toml\na = 1\n",
                                      "#+ plus\n",
                                      "# Title: x\n",
                                      "%comment\n",
                                      "Title: x\nis a line of text\n",
                                      "title: x, said she: y\nand more\n"}) {
    INFO(body);
    REQUIRE(parsed(body).issues().empty());
  }
}

TEST_CASE("a body that looks like a head is set off by a front matter", "[note]") {
  for (const std::string_view body : {"{\"a\": 1}\n", "% Title\n", "Title: x\n"}) {
    Note note = parsed("");
    REQUIRE(note.set_body(body));
    REQUIRE(note.body() == body);
    REQUIRE(note.bytes() == "---\n---\n\n" + std::string(body));
  }
}

}  // namespace notesdb
