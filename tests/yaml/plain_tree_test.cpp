// The plain tree reads what the full reader reads, or nothing.
#include "yaml/plain_tree.h"

#include <array>
#include <random>

#include <catch2/catch.hpp>

#include "note/corpora.h"
#include "note/note.h"
#include "yaml/field_split.h"
#include "yaml/reader.h"

namespace notesdb {
namespace {

// Structure, text and places.
bool is_same(const Node& a, const Node& b) {
  const auto same_items = [](const auto& x, const auto& y, const auto& same) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  return a.kind == b.kind && a.style == b.style && a.line == b.line && a.column == b.column &&
         a.text == b.text && same_items(a.items, b.items, is_same) &&
         same_items(a.members, b.members, [](const NodeMember& x, const NodeMember& y) {
           return x.key == y.key && is_same(x.value, y.value);
         });
}

// How many fields of a text the plain tree reads; each must read the same in full.
std::size_t check_fields(std::string_view text) {
  std::size_t plain = 0;
  for (const FieldText& field : split_fields(text)) {
    if (field.stray || field.unindented != 0) continue;
    const auto lines = text.substr(field.begin, field.end - field.begin);
    const std::size_t key_end = field.key_end - field.begin;
    const auto tree = read_plain_tree(lines, key_end, field.line + 1);
    if (!tree) continue;
    ++plain;
    const FieldReading full = read_field(lines, key_end, field.line + 1);
    INFO(lines);
    REQUIRE_FALSE(full.problem);
    REQUIRE(is_same(*tree, full.node));
  }
  return plain;
}

constexpr std::string_view written = R"(columns:
  - { id: title, type: text, required: true }
  - {id: status, type: select, options: [todo, "in work", 'on hold', done], default: todo}
  - id: estimate   # in evenings
    type: number
    min: 0
    description: How many, about; half of one (0.5) is fine

  # what follows came later
  - id: tags
    type: multi-select
    options:
      - one
      - "two three"
    empty: []
  - id: more
    options:
    - a b
    - c
views:
- id: board
  columns: [title, status]
  filters: [{ field: keys, operator: eq, value: true }]
templates:
  neighbour:
    name: A new neighbour
    fields: { role: friend, joined: 2026-01-31, deep: {a: [b, {c: d}]} }
row_id: { style: counter, prefix: task-, digits: 6 }
)";

TEST_CASE("columns, views, templates and rules of ids are plain as people write them", "[note]") {
  CHECK(check_fields(written) == 4);
}

TEST_CASE("plain tree and full reader agree on every real field that both read", "[note]") {
  std::size_t plain = 0;
  for (const NoteFile& file : real_notes()) {
    const auto note = Note::parse(file.bytes, file.format);
    if (!note) continue;
    const FrontMatter& front = note->front_matter();
    INFO(file.path);
    plain +=
        check_fields(std::string_view(file.bytes).substr(front.begin, front.end - front.begin));
  }
  CHECK(plain > 10);
}

TEST_CASE("plain tree and full reader agree on what is left after random strokes", "[note]") {
  constexpr std::array<std::string_view, 34> strokes{
      "",  " ",  "  ", "\n", "\n  ", "- ",       "-",   ": ",   ":",  ",",  "[", "]",
      "{", "}",  "#",  " #", "\"",   "'",        "\\",  "?",    "&a", "*a", "!", "|",
      ">", "\t", "\r", "~",  "null", "\xC3\xA9", "---", "<<: ", "a",  "%"};
  std::mt19937 random(7);
  std::size_t plain = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(written);
    for (auto count = 1 + random() % 3; count > 0; --count) {
      const std::size_t at = random() % text.size();
      text.replace(at, random() % 4, strokes[random() % strokes.size()]);
    }
    plain += check_fields(text);
  }
  CHECK(plain > 1000);
}

TEST_CASE("what might mean something else is not plain", "[note]") {
  for (const std::string_view lines : {"a: b: c\n",
                                       "a: null\n",
                                       "a:\n",
                                       "a: [b,, c]\n",
                                       "a: [b, c\n",
                                       "a: {b: c, b: d}\n",
                                       "a: {<<: b}\n",
                                       "a: \"b\\n\"\n",
                                       "a: 'it''s'\n",
                                       "a: &b c\n",
                                       "a: |\n  b\n",
                                       "a: b\n  c\n",
                                       "a: b#c\n",
                                       "a:\n  - b\n c: d\n",
                                       "a: [b] c\n",
                                       "a: \xC3\xA9\n"}) {
    INFO(lines);
    CHECK_FALSE(read_plain_tree(lines, 2, 1));
  }
}

}  // namespace
}  // namespace notesdb
