// Strings that make YAML readers see something else: each goes in as a value, as a list item and
// as a key, and comes back equal from our readers and from readers of YAML 1.1 and 1.2.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include <catch2/catch.hpp>

#include "note/note.h"
#include "yaml/scalar.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

const std::vector<std::string>& hostile_strings() {
  static const std::vector<std::string> strings = [] {
    std::vector<std::string> all{"",
                                 "~",
                                 "null",
                                 "Null",
                                 "NULL",
                                 "true",
                                 "True",
                                 "yes",
                                 "Yes",
                                 "no",
                                 "on",
                                 "off",
                                 "y",
                                 "n",
                                 "N",
                                 "1",
                                 "01",
                                 "012",
                                 "0o14",
                                 "0x1F",
                                 "0b1",
                                 "1_000",
                                 "1e3",
                                 "1.5",
                                 ".5",
                                 "1.",
                                 "+1",
                                 "-1",
                                 ".inf",
                                 "-.inf",
                                 ".nan",
                                 ".NaN",
                                 "2024-01-01",
                                 "2024-01-01T10:00:00Z",
                                 "2024-1-1 1:02:03",
                                 "12:30:45",
                                 "1:2",
                                 "12:30:45.5",
                                 "- a",
                                 "-",
                                 "--",
                                 "---",
                                 "--- x",
                                 "...",
                                 "... x",
                                 "? a",
                                 "?",
                                 "?a",
                                 "a: b",
                                 "a:",
                                 "a :b",
                                 ": a",
                                 ":",
                                 ":a",
                                 "#c",
                                 "a #b",
                                 "a#b",
                                 "[a",
                                 "]",
                                 "{a",
                                 "}",
                                 ",",
                                 "&a",
                                 "*a",
                                 "!t",
                                 "!!str x",
                                 "|",
                                 ">",
                                 "%a",
                                 "@a",
                                 "`a",
                                 "'a",
                                 "\"a",
                                 "a'b",
                                 "a\"b",
                                 "''",
                                 "\"\"",
                                 "\"a\"",
                                 "'a'",
                                 " a",
                                 "a ",
                                 "\ta",
                                 "a\t",
                                 "a\tb",
                                 "a\t#b",
                                 "a:\tb",
                                 "a\nb",
                                 "a\n",
                                 "\na",
                                 "\n",
                                 "a\n\n",
                                 "a\n\nb\n",
                                 "  a\nb",
                                 "a\n  b\n",
                                 "a \nb",
                                 "a\r\nb",
                                 "\r",
                                 "\xC2\x85",
                                 "\xE2\x80\xA8",
                                 "\xE2\x80\xA9",
                                 "\xEF\xBB\xBF"
                                 "a",
                                 "a\xEF\xBB\xBF",
                                 "\xEF\xBF\xBE",
                                 "\x01",
                                 "\x7F",
                                 "\x1B[31m",
                                 "\\",
                                 "\\\\",
                                 "a\\nb",
                                 "\\\"",
                                 "a\\",
                                 "<<",
                                 "=",
                                 "[[Link]]",
                                 "[[A|b]]",
                                 "#tag",
                                 "@ctx",
                                 "caf\xC3\xA9",
                                 "\xF0\x9F\x98\x80",
                                 "a\x0B"
                                 "b",
                                 "---\nevil: 1\n---",
                                 "x\n---\ny",
                                 "\n---\n",
                                 "http://a:b",
                                 "C:\\x",
                                 "{{t}}",
                                 "a, b",
                                 "a,b",
                                 "key: [x",
                                 "~/x",
                                 "null ",
                                 "Infinity",
                                 "NaN",
                                 "inf",
                                 "1,000",
                                 "1 000",
                                 "0.0",
                                 "-0",
                                 "1e",
                                 "e1",
                                 "00",
                                 "0",
                                 "0777",
                                 "0888",
                                 "1:30",
                                 "=SUM(A1)",
                                 "+1 234",
                                 "!",
                                 "&",
                                 "*",
                                 "%",
                                 "@",
                                 "`",
                                 ">-",
                                 "|+",
                                 "\xC2\xA0",
                                 "\xE2\x80\xAE"
                                 "abc",
                                 "1.2.3",
                                 "1.2.3.4",
                                 "0671037706",
                                 "9223372036854775808",
                                 "99999999999999999999",
                                 "1e400",
                                 "0.1e-5",
                                 "12e03",
                                 "_1",
                                 "1_",
                                 "0x",
                                 "0xG",
                                 "0o8",
                                 "True\n",
                                 "a: |\n  b",
                                 "- - -",
                                 "key:",
                                 "'",
                                 "\"",
                                 "a'",
                                 "it's",
                                 "{}",
                                 "[]",
                                 "[a, b]",
                                 "{a: b}",
                                 "a]",
                                 "a}",
                                 "a, ",
                                 "# ",
                                 " #",
                                 "a # b",
                                 "...a",
                                 "---a",
                                 "-a",
                                 "2026-01-31 09:05",
                                 "190:20:30",
                                 "685_230.15",
                                 "0.",
                                 "1.e3",
                                 "TRUE",
                                 "OFF",
                                 "nULL",
                                 "\xF4\x8F\xBF\xBF"};
    all.push_back(std::string("a\0b", 3));
    all.push_back(std::string(20000, 'x') + ": #" + std::string(2000, ' ') + "y");
    return all;
  }();
  return strings;
}

// Where the line ends of the file may be either.
const std::array<std::string, 2> notes{
    "---\nbefore: 1\nfield: old # why\nlist: [x]\nitems:\n  - x\n  - 'y'\nafter: 2\n---\nbody\n",
    "---\r\nbefore: 1\r\nfield: \"old\" # why\r\nlist: [ 'x' ]\r\nitems:\r\n- x\r\nafter: "
    "2\r\n---\r\nbody\r\n"};

Value text_of(const Note& note, std::string_view key) {
  const Node* node = note.find(key);
  return node == nullptr ? Value() : read_untyped(*node);
}

bool has_program(const std::string& command) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe,cert-env33-c): the tests run on one thread.
  if (std::system((command + " >/dev/null 2>&1").c_str()) == 0) return true;
  std::cerr << "NOTE: not there, so not compared with: " << command << "\n";
  return false;
}

std::string hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

std::filesystem::path scratch(const std::string& name) {
  auto folder = std::filesystem::path(NOTESDB_BINARY_DIR) / "note_test";
  std::filesystem::create_directories(folder);
  return folder / name;
}

std::string output_of(const std::string& command) {
  // NOLINTNEXTLINE(cert-env33-c)
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  while (std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    out.append(buffer.data(), count);
  return out;
}

// A yaml row with every hostile string as value, item between brackets, item of a block and key.
const Note& hostile_row() {
  static Note note = *Note::parse("", NoteFormat::yaml);
  if (!note.fields().empty()) return note;
  int number = 0;
  for (const std::string& text : hostile_strings()) {
    std::string key = "key" + std::to_string(number++);
    Map nested;
    if (!text.empty() && text.size() < 1000) nested.push_back({text, text});
    Value value = List{text, List{text}, nested};
    REQUIRE(note.set(key, text));
    REQUIRE(note.set(key + "x", value));
  }
  return note;
}

}  // namespace

TEST_CASE("what libyaml takes for a key within a flow list is quoted there", "[note]") {
  CHECK(is_safe_plain("No:?2024", ScalarPlace::block));
  CHECK_FALSE(is_safe_plain("No:?2024", ScalarPlace::flow));
}

TEST_CASE("hostile text set as a value reads back equal", "[note]") {
  for (const std::string& bytes : notes) {
    for (const std::string& text : hostile_strings()) {
      INFO(text);
      Note note = *Note::parse(bytes, NoteFormat::markdown);
      auto edit = note.set("field", text);
      REQUIRE(edit);
      CHECK(text_of(note, "field") == Value(text));
      CHECK(note.bytes().find(" # why") != std::string::npos);
      CHECK(text_of(note, "after") == Value(2));
      CHECK(note.body() == (bytes.find('\r') == std::string::npos ? "body\n" : "body\r\n"));
      REQUIRE(note.set("field", "old"));
      CHECK(text_of(note, "field") == Value("old"));
    }
  }
}

TEST_CASE("hostile text set as a list item reads back equal and keeps the items beside it",
          "[note]") {
  for (const std::string& bytes : notes) {
    for (const std::string& text : hostile_strings()) {
      for (std::string_view key : {"list", "items", "before", "new"}) {
        INFO(key << ": " << text);
        Note note = *Note::parse(bytes, NoteFormat::markdown);
        List list{"x", text, "z"};
        REQUIRE(note.set(key, list));
        CHECK(text_of(note, key) == Value(list));
        list.erase(list.begin());
        REQUIRE(note.set(key, list));
        CHECK(text_of(note, key) == Value(list));
      }
    }
  }
}

TEST_CASE("hostile text may be a key", "[note]") {
  for (const std::string& text : hostile_strings()) {
    if (text.empty() || text.size() > 900) continue;
    INFO(text);
    Note note = *Note::parse(notes[0], NoteFormat::markdown);
    REQUIRE(note.set(text, "value"));
    CHECK(text_of(note, text) == Value("value"));
    REQUIRE(note.rename_key("field", text + "2"));
    CHECK(text_of(note, text + "2") == Value("old"));
    REQUIRE(note.remove(text));
    CHECK(note.find_field(text) == nullptr);
  }
}

TEST_CASE("hostile text in a block text reads back equal", "[note]") {
  for (std::string_view header : {"|", "|-", "|+", ">", ">-"}) {
    for (const std::string& text : hostile_strings()) {
      INFO(header << ": " << text);
      Note note = *Note::parse("---\nfield: " + std::string(header) +
                                   " # why\n   one\n   two\n\n# about after\nafter: 2\n---\n",
                               NoteFormat::markdown);
      REQUIRE(note.set("field", text));
      CHECK(text_of(note, "field") == Value(text));
      CHECK(note.bytes().find("# about after\nafter: 2\n") != std::string::npos);
    }
  }
}

TEST_CASE("hostile text as a whole body comes back exactly", "[note]") {
  for (const std::string& text : hostile_strings()) {
    for (std::string_view bytes :
         {"", "old body\n", "---\na: 1\n---\n", "---\na: 1\n---", "---\na: 1\n---\n\nold"}) {
      INFO(bytes << " <- " << text);
      Note note = *Note::parse(std::string(bytes), NoteFormat::markdown);
      REQUIRE(note.set_body(text));
      CHECK(note.body() == text);
    }
  }
}

TEST_CASE("a reader of YAML 1.1 reads hostile text as it was written", "[note]") {
  if (!has_program("python3 -c 'import yaml'")) return;
  const Note& note = hostile_row();
  auto yaml = scratch("hostile.yaml");
  std::ofstream(yaml, std::ios::binary) << note.bytes();
  auto script = scratch("read.py");
  std::ofstream(script) << R"(import sys, yaml
data = yaml.safe_load(open(sys.argv[1], encoding='utf-8', newline=''))
for key, value in data.items():
    if key.endswith('x'):
        assert value[1] == [value[0]], key
        assert all(k == v == value[0] for k, v in value[2].items()), key
        value = value[0]
    assert isinstance(value, str), (key, value)
    print(value.encode('utf-8').hex())
)";
  std::string expected;
  for (const std::string& text : hostile_strings())
    expected += hex(text) + "\n" + hex(text) + "\n";
  CHECK(output_of("python3 " + script.string() + " " + yaml.string()) == expected);
}

TEST_CASE("a reader of YAML 1.2 reads hostile text as it was written", "[note]") {
  if (!has_program("fy-tool --version")) return;
  const Note& note = hostile_row();
  auto yaml = scratch("hostile12.yaml");
  std::ofstream(yaml, std::ios::binary) << note.bytes();
  // Events show the text of each scalar and whether it is plain; plain ones must be safe.
  std::string events = output_of("fy-tool --testsuite " + yaml.string());
  std::size_t at = 0;
  auto next_value = [&]() -> std::string {
    at = events.find("=VAL ", at);
    if (at == std::string::npos) return "(none)";
    std::size_t end = events.find('\n', at);
    std::string value = events.substr(at + 5, end - at - 5);
    at = end;
    return value;
  };
  auto escaped = [](const std::string& text) {
    std::string out;
    for (char c : text) {
      constexpr std::string_view plain = "\\\n\t\r\b", letters = "\\ntrb";
      std::size_t place = plain.find(c);
      out +=
          place == std::string_view::npos ? std::string(1, c) : std::string("\\") + letters[place];
    }
    return out;
  };
  for (const std::string& text : hostile_strings()) {
    bool keyed = !text.empty() && text.size() < 1000;
    INFO(text);
    if (text.find('\0') != std::string::npos) break;  // its events end at the NUL
    next_value();
    std::string value = next_value();
    CHECK(value.substr(1) == escaped(text));
    if (value.starts_with(':')) CHECK(is_safe_plain(text, ScalarPlace::block));
    next_value();
    for (int i = 0; i < (keyed ? 4 : 2); ++i) {
      value = next_value();
      CHECK(value.substr(1) == escaped(text));
      if (value.starts_with(':')) CHECK(is_safe_plain(text, ScalarPlace::block));
    }
  }
}

}  // namespace notesdb
