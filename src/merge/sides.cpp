#include "merge/sides.h"

#include <algorithm>

#include "note/conflict_markers.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

bool all_have_a_base(std::string_view text) {
  return std::ranges::all_of(find_conflicts(text),
                             [](const ConflictBlock& block) { return block.base.has_value(); });
}

std::optional<Value> value_in(const Result<Note>& note, std::string_view key) {
  if (!note) return std::nullopt;
  const Node* node = note->find(key);
  return node == nullptr ? std::nullopt : std::optional(read_untyped(*node));
}

ThreeValues texts_of(std::string_view text) {
  ThreeValues values{std::nullopt,
                     Value(take_side(text, ConflictSide::ours)),
                     Value(take_side(text, ConflictSide::theirs))};
  if (all_have_a_base(text)) values.base = Value(take_side(text, ConflictSide::base));
  return values;
}

Error not_in_conflict(std::string_view field) {
  return {ErrorCode::unknown_field,
          "'" + std::string(field) + "' is in no conflict; leave the field out to resolve the row",
          Map{}};
}

// The fields whose markers are those of this one.
std::vector<std::string> sharing(const Note& note, const NoteField& field) {
  std::vector<std::string> keys;
  for (const NoteField& other : note.fields()) {
    if (other.in_conflict && other.lines == field.lines && other.key != field.key)
      keys.push_back(other.key);
  }
  return keys;
}

Result<std::string> checked(std::string bytes, NoteFormat format) {
  Result<Note> note = Note::parse(bytes, format);
  if (!note) return note.error();
  return bytes;
}

Result<std::string> resolve_field(const Note& note, const Resolution& how) {
  const NoteField* field = note.find_field(how.field);
  if (field == nullptr || !field->in_conflict) return not_in_conflict(how.field);
  std::vector<std::string> others = sharing(note, *field);
  if (!others.empty()) {
    return Error{ErrorCode::conflict,
                 "'" + how.field + "' stands between the same markers as '" + others.front() +
                     "'; resolve the row as a whole, or edit the file",
                 Map{{"fields", Value::list_of(others)}}};
  }
  if (how.side) {
    Span lines = field->lines;
    return checked(take_side(note.bytes(),
                             *how.side,
                             [&](const ConflictBlock& block) {
                               return block.whole.begin >= lines.begin &&
                                      block.whole.end <= lines.end;
                             }),
                   note.format());
  }
  Note resolved = note;
  Result<Edit> edit = how.value->is_null() ? resolved.remove(how.field)
                                           : resolved.set(how.field, *how.value, {how.column, {}});
  if (!edit) return edit.error();
  return resolved.bytes();
}

Result<std::string> resolve_body(const Note& note, const Resolution& how) {
  std::string_view body = note.body();
  if (find_conflicts(body).empty()) return not_in_conflict(body_field);
  std::string head = note.bytes().substr(0, note.bytes().size() - body.size());
  if (how.side) return head + take_side(body, *how.side);
  if (!how.value->is_text()) {
    return Error{ErrorCode::invalid_value, "a body is text", Map{}};
  }
  return head + how.value->text();
}

}  // namespace

std::vector<MergeConflict> conflicts_in(const std::string& bytes, NoteFormat format) {
  std::vector<MergeConflict> conflicts;
  if (find_conflicts(bytes).empty()) return conflicts;
  Result<Note> note = Note::parse(bytes, format);
  if (!note) return {{std::string(file_field), texts_of(bytes)}};
  Result<Note> ours = Note::parse(take_side(bytes, ConflictSide::ours), format);
  Result<Note> theirs = Note::parse(take_side(bytes, ConflictSide::theirs), format);
  Result<Note> base = Note::parse(take_side(bytes, ConflictSide::base), format);
  std::string_view head = std::string_view(bytes).substr(0, bytes.size() - note->body().size());
  bool has_base = all_have_a_base(head);
  for (const NoteField& field : note->fields()) {
    if (!field.in_conflict) continue;
    std::optional<Value> before = has_base ? value_in(base, field.key) : std::nullopt;
    conflicts.push_back(
        {field.key, {std::move(before), value_in(ours, field.key), value_in(theirs, field.key)}});
  }
  if (!find_conflicts(note->body()).empty())
    conflicts.push_back({std::string(body_field), texts_of(note->body())});
  if (conflicts.empty()) conflicts.push_back({std::string(file_field), texts_of(bytes)});
  return conflicts;
}

Result<std::string> resolve(const std::string& bytes, NoteFormat format, const Resolution& how) {
  if (how.field.empty() || how.field == file_field) {
    if (find_conflicts(bytes).empty()) return not_in_conflict(file_field);
    if (!how.side) {
      return Error{ErrorCode::invalid_argument,
                   "a whole row is resolved with a side; a value needs its field",
                   Map{}};
    }
    return checked(take_side(bytes, *how.side), format);
  }
  Result<Note> note = Note::parse(bytes, format);
  if (!note) return note.error();
  return how.field == body_field ? resolve_body(*note, how) : resolve_field(*note, how);
}

}  // namespace notesdb
