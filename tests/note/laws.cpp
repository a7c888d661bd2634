// The laws of a note, tried on every real file at hand.
#include <algorithm>

#include <catch2/catch.hpp>

#include "note/corpora.h"
#include "note/note.h"
#include "yaml/reader.h"
#include "yaml/scalar.h"
#include "yaml/scanner.h"

namespace notesdb {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// How many lines of `a` and `b` lie between what they share at both ends.
std::pair<std::size_t, std::size_t> changed_lines(const std::string& a, const std::string& b) {
  auto x = lines_of(a);
  auto y = lines_of(b);
  std::size_t head = 0;
  while (head < x.size() && head < y.size() && x[head] == y[head])
    ++head;
  std::size_t tail = 0;
  while (tail < x.size() - head && tail < y.size() - head &&
         x[x.size() - 1 - tail] == y[y.size() - 1 - tail])
    ++tail;
  return {x.size() - head - tail, y.size() - head - tail};
}

// The first line that is not the same, for a message of bearable length.
std::string differing(const std::string& a, const std::string& b) {
  auto x = lines_of(a);
  auto y = lines_of(b);
  auto [p, q] = std::ranges::mismatch(x, y);
  if (p == x.end() && q == y.end()) return "";
  return (p == x.end() ? "(end)" : *p) + " instead of " + (q == y.end() ? "(end)" : *q);
}

}  // namespace

TEST_CASE("parsing gives back the same bytes for every real file", "[note]") {
  std::size_t parsed = 0;
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    INFO(file.path);
    if (!note) {
      CHECK(note.error().code == ErrorCode::malformed_file);
      CHECK(note.error().message.starts_with("line "));
      continue;
    }
    ++parsed;
    CHECK(note->bytes() == file.bytes);
    CHECK(std::string_view(file.bytes).ends_with(note->body()));
  }
  CHECK(parsed > 10);
}

TEST_CASE("setting a field to the value it has changes no byte of any real file", "[note]") {
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note) continue;
    for (const NoteField& field : note->fields()) {
      if (!field.readable) continue;
      INFO(file.path << " " << field.key);
      Note copy = *note;
      auto edit = copy.set(field.key, read_untyped(field.node));
      REQUIRE(edit);
      CHECK(*edit == Edit::unchanged);
      CHECK(copy.bytes() == file.bytes);
    }
  }
}

TEST_CASE("setting a field changes its own lines alone in every real file", "[note]") {
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note || note->front_matter().kind == FrontMatterKind::toml) continue;
    for (const NoteField& field : note->fields()) {
      auto same_key = [&](const NoteField& other) { return other.key == field.key; };
      if (std::ranges::count_if(note->fields(), same_key) > 1) continue;
      INFO(file.path << " " << field.key);
      Note copy = *note;
      auto edit = copy.set(field.key, "another: value # with 'quotes\"");
      REQUIRE(edit);
      REQUIRE(*edit == Edit::changed);
      CHECK(copy.find(field.key)->text == "another: value # with 'quotes\"");
      CHECK(copy.bytes().substr(0, field.lines.begin) == file.bytes.substr(0, field.lines.begin));
      std::string behind = file.bytes.substr(field.lines.end);
      CHECK((behind.empty() || copy.bytes().ends_with(behind)));
      if (field.readable && field.block.empty() && field.value.end < field.lines.end &&
          file.bytes.substr(field.lines.begin, field.lines.end - field.lines.begin).find('\n') ==
              field.lines.end - field.lines.begin - 1) {
        auto expected = std::pair<std::size_t, std::size_t>{1, 1};
        CHECK(changed_lines(file.bytes, copy.bytes()) == expected);
      }
    }
  }
}

TEST_CASE("adding an item to a list and taking it out again is the same file", "[note]") {
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note) continue;
    for (const NoteField& field : note->fields()) {
      if (!field.readable || !field.node.is_list() || field.node.items.empty()) continue;
      INFO(file.path << " " << field.key);
      List before = read_untyped(field.node).list();
      List after = before;
      after.insert(after.begin() + static_cast<std::ptrdiff_t>(after.size() / 2), "one more");
      Note copy = *note;
      REQUIRE(copy.set(field.key, after));
      auto changed = changed_lines(file.bytes, copy.bytes());
      bool one_line = field.node.style == NodeStyle::flow
                          ? changed.second <= 1
                          : changed.first == 0 && changed.second == 1;
      CHECK(one_line);
      REQUIRE(copy.set(field.key, before));
      CHECK(differing(copy.bytes(), file.bytes) == "");
    }
  }
}

TEST_CASE("a key that is added and removed leaves every real file as it was", "[note]") {
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note || note->front_matter().kind != FrontMatterKind::yaml) continue;
    INFO(file.path);
    Note copy = *note;
    REQUIRE(copy.set("a new key", List{"x", Map{{"y", 1}}}));
    CHECK(copy.body() == note->body());
    REQUIRE(copy.remove("a new key"));
    CHECK(differing(copy.bytes(), file.bytes) == "");
  }
}

TEST_CASE("every real field can be removed", "[note]") {
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note) continue;
    for (const std::string& key : note->keys()) {
      INFO(file.path << " " << key);
      Note copy = *note;
      auto edit = copy.remove(key);
      REQUIRE(edit);
      CHECK(copy.find_field(key) == nullptr);
    }
  }
}

TEST_CASE("scanner and full reader agree on every field that both accept", "[note]") {
  Scanner scanner;
  std::size_t compared = 0;
  std::size_t whole = 0;
  std::size_t texts = 0;
  for (const NoteFile& file : real_notes()) {
    auto note = Note::parse(file.bytes, file.format);
    if (!note || note->fields().empty()) continue;
    const FrontMatter& front = note->front_matter();
    std::string_view text =
        std::string_view(file.bytes).substr(front.begin, front.end - front.begin);
    ++texts;
    if (!scanner.scan(text)) continue;
    ++whole;
    REQUIRE(scanner.fields().size() == note->fields().size());
    for (std::size_t i = 0; i < note->fields().size(); ++i) {
      const NoteField& field = note->fields()[i];
      const ScannedField& scanned = scanner.fields()[i];
      INFO(file.path << " " << field.key);
      CHECK(scanned.key == field.key);
      CHECK(same_content(to_node(scanner, scanned, text, front.first_line), field.node));
      auto lines = std::string_view(file.bytes)
                       .substr(field.lines.begin, field.lines.end - field.lines.begin);
      FieldReading reading = read_field(lines, field.key_end - field.lines.begin, field.line);
      CHECK(!reading.problem);
      CHECK(same_content(reading.node, field.node));
      ++compared;
    }
  }
  WARN(whole << " of " << texts << " front matters are plain; " << compared << " fields compared");
  CHECK(compared > 10);
}

TEST_CASE("a note cut at any length parses or names a line", "[note]") {
  std::size_t step = 0;
  for (const NoteFile& file : real_notes()) {
    if (file.path.find("fixtures/notes") == std::string::npos && ++step % 40 != 0) continue;
    for (std::size_t length = 0; length <= std::min<std::size_t>(file.bytes.size(), 1500);
         ++length) {
      auto note = Note::parse(file.bytes.substr(0, length), file.format);
      if (note) {
        REQUIRE(note->bytes() == file.bytes.substr(0, length));
      } else {
        INFO(file.path << " cut at " << length);
        REQUIRE(note.error().message.starts_with("line "));
      }
    }
  }
}

}  // namespace notesdb
