// What --fix writes, and what it leaves to a person.
#include "note/fix.h"

#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <yaml-cpp/yaml.h>

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
  CHECK(fixed("text: 'one\ntwo'\n") == "text: 'one\n  two'\n");
  CHECK(fixed("a: \"one\r\n\r\ntwo: 2\r\n# three\"\nb: 1\n") ==
        "a: \"one\r\n\r\n  two: 2\r\n  # three\"\nb: 1\n");
}

TEST_CASE("nothing is fixed where a quote is never closed", "[note]") {
  for (const char* fields : {"a: \"one\nfor what:\ntwo\nb: \"three\nfor what:\ntitle: x: y\n",
                             "a: 'one\ntitle: x: y\n",
                             "stray\ntitle: x: y\n"}) {
    INFO(fields);
    CHECK(fixed(fields) == fields);
  }
}

// What another reader sees, by key; nothing where it refuses the text.
std::optional<std::map<std::string, std::string>> read_by_another(const std::string& fields) {
  std::map<std::string, std::string> values;
  try {
    const YAML::Node node = YAML::Load(fields);
    if (!node.IsMap()) return std::nullopt;
    for (const auto& member : node) {
      std::string& value = values[member.first.as<std::string>()];
      // An empty field says nothing beside another of the same key.
      if (value.empty() || !member.second.IsNull()) value = YAML::Dump(member.second);
    }
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
  return values;
}

TEST_CASE("a fix changes nothing that another reader of YAML could read", "[note]") {
  constexpr std::array<std::string_view, 13> lines{"title: \"one\n",
                                                   "title: two\n",
                                                   "b: 'one\n",
                                                   "c: \"a: b\"\n",
                                                   "two:\n",
                                                   "text goes on\n",
                                                   "it ends\"\n",
                                                   "it ends'  # so\n",
                                                   "  deeper: \"\n",
                                                   "- item'\n",
                                                   "# comment\n",
                                                   "d: [1,\n",
                                                   "2]\n"};
  std::mt19937 random(7);
  int readable = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string fields;
    for (auto count = 1 + random() % 6; count > 0; --count)
      fields += lines[random() % lines.size()];
    const auto before = read_by_another(fields);
    if (!before) continue;
    auto note = Note::parse("---\n" + fields + "---\n", NoteFormat::markdown);
    if (!note) continue;
    fix_note(made_schema(), *note);
    const std::string& bytes = note->bytes();
    INFO(fields << "becomes\n" << bytes);
    const auto after = read_by_another(bytes.substr(4, bytes.size() - 8));
    REQUIRE(after);
    REQUIRE(*after == *before);
    ++readable;
  }
  CHECK(readable > 1000);
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
