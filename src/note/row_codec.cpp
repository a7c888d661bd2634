#include "note/row_codec.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "yaml/scalar.h"

namespace notesdb {

namespace {

Value read_field_of(const Column* column, const NoteField& field, std::vector<Issue>& issues) {
  if (column == nullptr) return read_untyped(field.node);
  Reading reading = read_as(*column, field.node);
  if (!reading.fits()) {
    Issue issue;
    issue.line = field.line;
    issue.column = field.column;
    issue.rule = "type";
    issue.message = std::move(reading.problem);
    issue.field = field.key;
    issues.push_back(std::move(issue));
  }
  return std::move(reading.value);
}

}  // namespace

Row read_row(const Schema& schema, const Note& note) {
  Row row;
  row.body = note.body();
  row.issues = note.issues();
  std::vector<std::optional<Value>> values(schema.columns.size());
  for (const NoteField& field : note.fields()) {
    if (!field.readable) continue;
    auto place = schema.index_of(field.key);
    const Column* column = place ? &schema.columns[*place] : nullptr;
    Value value = read_field_of(column, field, row.issues);
    if (place) {
      values[*place] = std::move(value);
    } else {
      row.extra.push_back({field.key, std::move(value)});
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) row.fields.push_back({schema.columns[i].id, std::move(*values[i])});
  std::ranges::stable_sort(row.issues, {}, &Issue::line);
  return row;
}

Result<Edit> write_fields(const Schema& schema,
                          const Map& fields,
                          std::span<const std::string> key_order,
                          Note& note) {
  std::vector<std::string> schema_order;
  if (key_order.empty()) {
    schema_order = schema.column_ids();
    key_order = schema_order;
  }
  Note edited = note;
  Edit outcome = Edit::unchanged;
  for (const Member& member : fields) {
    FieldStyle style{schema.find(member.key), key_order};
    Result<Edit> edit = member.value.is_null() ? edited.remove(member.key)
                                               : edited.set(member.key, member.value, style);
    if (!edit) return std::move(edit).error();
    if (*edit == Edit::changed) outcome = Edit::changed;
  }
  if (outcome == Edit::changed) note = std::move(edited);
  return outcome;
}

Result<std::string> new_row(const Schema& schema,
                            const Map& fields,
                            std::string_view body,
                            NoteFormat format) {
  if (format == NoteFormat::yaml && !body.empty()) {
    return Error{ErrorCode::invalid_argument, "a .yaml row has no body; only .md rows have one"};
  }
  std::string bytes = format == NoteFormat::yaml ? "" : "---\n---\n";
  if (!body.empty()) bytes += '\n' + std::string(body);
  Result<Note> note = Note::parse(std::move(bytes), format);
  if (!note) return std::move(note).error();
  Map ordered;
  for (const Column& column : schema.columns)
    if (const Value* value = find_member(fields, column.id)) ordered.push_back({column.id, *value});
  for (const Member& member : fields)
    if (schema.find(member.key) == nullptr) ordered.push_back(member);
  std::erase_if(ordered, [](const Member& member) { return member.value.is_null(); });
  auto written = write_fields(schema, ordered, {}, *note);
  if (!written) return std::move(written).error();
  return note->bytes();
}

}  // namespace notesdb
