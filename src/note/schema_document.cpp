#include "note/schema_document.h"

#include <algorithm>
#include <iterator>

#include "note/schema_reader.h"

namespace notesdb {

Result<SchemaDocument> parse_schema(std::string bytes, NoteFormat format) {
  Result<Note> note = Note::parse(std::move(bytes), format);
  if (!note) return std::move(note).error();
  const NoteField* columns = note->find_field("columns");
  if (columns == nullptr || !columns->readable || !columns->node.is_list()) {
    std::string where = columns == nullptr ? "" : "line " + std::to_string(columns->line) + ": ";
    return Error{ErrorCode::malformed_file,
                 where + "a schema has a list 'columns'; each column has an id and a type"};
  }
  SchemaReader reader;
  Schema schema = reader.read(*note);
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
