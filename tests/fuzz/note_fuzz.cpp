// Fuzzing a note: whatever the bytes, parsing gives them back or names a line, scanner and full
// reader agree, and an edit that succeeds changes its own field alone.
//
// Built with clang and -DNOTESDB_FUZZ=ON; run as `note_fuzz fixtures/notes`. The first byte of
// the input says which format it is in and which field is edited.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/claim.h"
#include "note/note.h"
#include "schema/document.h"
#include "yaml/scanner.h"

using namespace notesdb;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

std::pair<std::string_view, std::string_view> key_and_value(const ScannedField& field) {
  return {field.key, field.value};
}

void check_scanner(const Note& note) {
  const FrontMatter& front = note.front_matter();
  std::string_view text =
      std::string_view(note.bytes()).substr(front.begin, front.end - front.begin);
  // One that has scanned all inputs before finds what a fresh one finds.
  static Scanner used;
  Scanner scanner;
  if (front.kind != FrontMatterKind::yaml) return;
  const bool is_plain = scanner.scan(text);
  require(used.scan(text) == is_plain);
  if (!is_plain) return;
  require(std::ranges::equal(used.fields(), scanner.fields(), {}, key_and_value, key_and_value));
  require(scanner.fields().size() == note.fields().size());
  for (std::size_t i = 0; i < note.fields().size(); ++i) {
    const NoteField& field = note.fields()[i];
    require(field.readable && scanner.fields()[i].key == field.key);
    require(
        same_content(to_node(scanner, scanner.fields()[i], text, front.first_line), field.node));
  }
}

void check_edit(Note note, std::string_view key, const Value& value) {
  std::string body(note.body());
  std::string before = note.bytes();
  auto edit = note.set(key, value);
  if (!edit) {
    require(note.bytes() == before);
    return;
  }
  require(note.find(key) != nullptr);
  require(note.body() == body);
  require(note.set(key, value).ok() && *note.set(key, value) == Edit::unchanged);
  // The last key of a text whose other lines are none may have to stay.
  before = note.bytes();
  const bool removed = note.remove(key).ok();
  require(removed ? note.find_field(key) == nullptr : note.bytes() == before);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string bytes(data + 1, data + size);
  NoteFormat format = (data[0] & 1U) != 0 ? NoteFormat::yaml : NoteFormat::markdown;
  auto note = Note::parse(bytes, format);
  if (!note) {
    require(note.error().message.starts_with("line "));
    return 0;
  }
  require(note->bytes() == bytes);
  check_scanner(*note);
  (void)parse_schema(bytes, format);
  std::string text = bytes.substr(0, data[0]);
  check_edit(*note, "new", Value(text));
  if (note->fields().empty()) return 0;
  std::string key = note->fields()[data[0] % note->fields().size()].key;
  check_edit(*note, key, Value(text));
  check_edit(*note, key, List{text, "x", Map{{"k", text}}});
  return 0;
}
