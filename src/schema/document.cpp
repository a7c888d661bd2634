#include "schema/document.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "note/conflict_markers.h"
#include "schema/reader.h"

namespace notesdb {

namespace {

// A note that a merge left undecided is read as ours has it, so that its rows stay readable. Null
// where nothing is undecided: the note itself is to be read.
Result<std::unique_ptr<Note>> our_side(const Note& note) {
  bool in_conflict = std::ranges::any_of(note.fields(), &NoteField::in_conflict);
  if (!in_conflict) return std::unique_ptr<Note>();
  Result<Note> ours = Note::parse(take_side(note.bytes(), ConflictSide::ours), note.format());
  if (!ours) return std::move(ours).error();
  return std::make_unique<Note>(*std::move(ours));
}

}  // namespace

Result<SchemaDocument> parse_schema(std::string bytes, NoteFormat format) {
  Result<Note> note = Note::parse(std::move(bytes), format);
  if (!note) return std::move(note).error();
  Result<std::unique_ptr<Note>> ours = our_side(*note);
  if (!ours) return std::move(ours).error();
  const Note& resolved = *ours ? **ours : *note;
  const NoteField* columns = resolved.find_field("columns");
  if (columns == nullptr || !columns->readable || !columns->node.is_list()) {
    std::string where = columns == nullptr ? "" : "line " + std::to_string(columns->line) + ": ";
    return Error{ErrorCode::malformed_file,
                 where + "a schema has a list 'columns'; each column has an id and a type"};
  }
  SchemaReader reader;
  Schema schema = reader.read(resolved);
  std::vector<Issue> issues = note->issues();
  std::ranges::move(reader.issues(), std::back_inserter(issues));
  std::ranges::stable_sort(issues, {}, &Issue::line);
  return SchemaDocument{std::move(*note), std::move(schema), std::move(issues)};
}

Result<std::string> with_next_row_id(const SchemaDocument& document, std::int64_t next) {
  if (document.note.find_field("next_row_id") == nullptr) return document.note.bytes();
  Note note = document.note;
  Column number;
  number.type = ColumnType::number;
  Result<Edit> edit = note.set("next_row_id", next, {&number, {}});
  if (!edit) return std::move(edit).error();
  return note.bytes();
}

}  // namespace notesdb
