// The scanner expects what it has met before, and looks at blocks of bytes; neither may show.
#include "yaml/scanner.h"

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "note/corpora.h"
#include "note/front_matter.h"

namespace notesdb {
namespace {

// All that a scan finds, lines counted from `first_line`; "-" if it refuses the text.
std::string found_in(Scanner& scanner, const std::string& text, std::uint32_t first_line = 0) {
  if (!scanner.scan(text)) return "-";
  std::string found;
  const auto put = [&](std::string_view raw, ScannedKind kind, std::uint32_t line) {
    found += std::to_string(static_cast<int>(kind)) + '@' + std::to_string(line - first_line);
    found += '(' + std::string(raw) + ") ";
  };
  for (const ScannedField& field : scanner.fields()) {
    found += std::string(field.key) + ": ";
    put(field.value, field.kind, field.line);
    for (const ScannedScalar& item : scanner.items(field))
      put(item.raw, item.kind, item.line);
  }
  return found;
}

std::string found_by_fresh(const std::string& text) {
  Scanner scanner;
  return found_in(scanner, text);
}

std::vector<std::string> real_front_matters() {
  std::vector<std::string> texts;
  for (const NoteFile& file : real_notes()) {
    const auto front = split_front_matter(file.bytes, file.format);
    if (!front || front->kind != FrontMatterKind::yaml) continue;
    texts.push_back(file.bytes.substr(front->begin, front->end - front->begin));
  }
  return texts;
}

}  // namespace

TEST_CASE("a scanner finds the same whatever it has scanned before", "[note]") {
  Scanner used;
  for (const std::string& text : real_front_matters()) {
    INFO(text);
    const std::string found = found_by_fresh(text);
    CHECK(found_in(used, text) == found);
    CHECK(found_in(used, text) == found);
  }
}

TEST_CASE("a scanner finds the same wherever blocks of bytes begin and end", "[note]") {
  constexpr std::size_t block_size = 64;
  std::size_t number = 0;
  Scanner scanner;
  for (const std::string& text : real_front_matters()) {
    const std::string found = found_by_fresh(text);
    for (const std::size_t shift : {number % block_size, number * 29 % block_size}) {
      const std::string shifted = '#' + std::string(shift, '-') + '\n' + text;
      INFO(shifted);
      CHECK(found_in(scanner, shifted, 1) == found);
    }
    ++number;
  }
}

TEST_CASE("a scanner finds the same in a text without its last line end", "[note]") {
  const std::vector<std::string> texts = {"a: b",
                                          "a:",
                                          "a: ",
                                          "a: b #",
                                          "a: b # c",
                                          "a: b:",
                                          "a:\n- b",
                                          "a:\n- b:",
                                          "a: [b]",
                                          "a: 'b'"};
  for (const std::string& text : texts) {
    for (std::size_t size = 0; size <= 130; ++size) {
      const std::string padded = "k: " + std::string(size, 'x') + "\n" + text;
      INFO(padded);
      CHECK(found_by_fresh(padded) == found_by_fresh(padded + '\n'));
    }
  }
}

TEST_CASE("items of a flow list stand on the line of their field", "[note]") {
  Scanner scanner;
  REQUIRE(scanner.scan("a: 1\nb: ['x', y, \"z\"]\n"));
  for (const ScannedScalar& item : scanner.items(scanner.fields().back()))
    CHECK(item.line == 1);
  CHECK(scanner.items(scanner.fields().back()).size() == 3);
}

TEST_CASE("a key in quotes is not expected where it would stand without them", "[note]") {
  Scanner scanner;
  REQUIRE(scanner.scan("\"a: b\": 1\n"));
  CHECK(scanner.fields().front().key == "a: b");
  CHECK(!scanner.scan("a: b: 2\n"));
  REQUIRE(scanner.scan("\"a: b\": 3\n"));
  CHECK(!scanner.scan("a #b: 1\n"));
}

TEST_CASE("a key that comes twice is refused, also where each was expected", "[note]") {
  Scanner scanner;
  REQUIRE(scanner.scan("a: 1\nb: 2\n"));
  REQUIRE(scanner.scan("b: 1\na: 2\n"));
  CHECK(!scanner.scan("a: 1\nb: 2\na: 3\n"));
  CHECK(!scanner.scan("a: 1\nb: 2\na: 3\n"));
  CHECK(!scanner.scan("a: 1\na: 2\n"));
}

TEST_CASE("texts have one shape if their keys are the same in the same order", "[note]") {
  Scanner scanner;
  std::map<std::string, std::uint32_t> shapes;
  std::map<std::uint32_t, std::string> keys_of;
  const auto look_at = [&](const std::string& text) {
    if (!scanner.scan(text) || scanner.shape() == KeyTree::no_place) return;
    std::string keys;
    for (const ScannedField& field : scanner.fields())
      keys += std::string(field.key) + '\n';
    const auto known = shapes.emplace(keys, scanner.shape()).first;
    CHECK(known->second == scanner.shape());
    CHECK(keys_of.emplace(scanner.shape(), keys).first->second == keys);
  };
  for (int round = 0; round < 2; ++round) {
    for (const std::string& text : real_front_matters())
      look_at(text);
    look_at("");
    look_at("a: 1\nb: 2\n");
    look_at("'a': 1\n\"b\": 2\n");
    look_at("b: 2\na: 1\n");
  }
  CHECK(shapes.size() > 3);
}

TEST_CASE("texts of ever other keys are scanned as well, and lose their shape", "[note]") {
  Scanner scanner;
  bool is_lost = false;
  for (int number = 0; number < 200; ++number) {
    const std::string key = "key-" + std::to_string(number);
    const std::string text = key + ": x\nother: y\n";
    REQUIRE(scanner.scan(text));
    CHECK(scanner.fields().front().key == key);
    is_lost |= scanner.shape() == KeyTree::no_place;
    CHECK(!scanner.scan(key + ": x\n" + key + ": y\n"));
  }
  CHECK(is_lost);
}

}  // namespace notesdb
