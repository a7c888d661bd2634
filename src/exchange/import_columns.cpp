#include "exchange/import_columns.h"

#include <algorithm>

#include "exchange/cell.h"
#include "exchange/inferred_schema.h"
#include "files/names.h"
#include "schema/document.h"

namespace notesdb {
namespace {

using Role = ImportColumn::Role;

// The name that a column of the file has in the database; empty: it is left out.
std::string name_in_database(const std::string& name, const ImportRequest& request) {
  const auto renamed =
      std::ranges::find(request.names, name, &std::pair<std::string, std::string>::first);
  return renamed == request.names.end() ? name : renamed->second;
}

bool is_computed(std::string_view name) {
  return name == "_modified" || name == "_path";
}

const Column* find_column(const Schema& schema, const std::string& name) {
  if (const Column* column = schema.find(name)) return column;
  const auto named = std::ranges::find(schema.columns, name, &Column::name);
  return named == schema.columns.end() ? nullptr : &*named;
}

bool names_rows(const std::string& name, const ImportRequest& request) {
  return request.id_from.empty() ? name == "_id" : name == request.id_from;
}

Error unknown_column(const std::string& name, const Schema& schema) {
  Error error = unknown_name(ErrorCode::unknown_field, "column", name, schema.column_ids());
  error.message += std::string(error.message.ends_with('?') ? "" : ";") + " --name '" + name +
                   "=COLUMN' says which is meant, '" + name + "=' leaves it out";
  return std::move(error).with("field", name);
}

// Names that were given and that the file does not have.
void check_names(const Source& source, const ImportRequest& request, std::vector<Error>& errors) {
  const auto check = [&](const std::string& name) {
    if (std::ranges::find(source.columns, name) != source.columns.end()) return;
    errors.push_back(
        unknown_name(ErrorCode::unknown_field, "column of the file", name, source.columns));
  };
  if (!request.id_from.empty()) check(request.id_from);
  for (const auto& [name, meant] : request.names)
    check(name);
}

// A column that the caller describes, or a null pointer.
const Value* find_given(const ImportRequest& request, const std::string& id) {
  for (const Value& column : request.columns)
    if (const Value* given = column.find("id"); given != nullptr && *given == Value(id))
      return &column;
  return nullptr;
}

// A text that says nothing to a column that holds no text: quotes around every cell, even an empty
// one, are a habit of many programs.
bool says_nothing(const Value& value, const Column& column, CellForm form) {
  if (form != CellForm::text || !value.is_text() || !value.text().empty()) return false;
  return column.type != ColumnType::text;
}

Value field_value(const Value& value, const Column& column, CellForm form) {
  if (form != CellForm::text) return value;
  if (value.is_text()) return value_of_cell(&column, value.text());
  const bool is_truth = column.type == ColumnType::checkbox && value.is_integer() &&
                        (value.integer() == 0 || value.integer() == 1);
  return is_truth ? Value(value.integer() == 1) : value;
}

}  // namespace

Result<ImportColumns> bind_columns(const Source& source,
                                   const ImportRequest& request,
                                   const Schema& schema) {
  ImportColumns bound;
  std::vector<Error> errors;
  check_names(source, request, errors);
  std::vector<bool> is_taken(schema.columns.size());
  for (const std::string& name : source.columns) {
    ImportColumn& meant = bound.by_place.emplace_back();
    const std::string wanted = name_in_database(name, request);
    const bool is_id = names_rows(name, request);
    const Column* column = find_column(schema, wanted);
    if (is_id) meant.role = Role::row_id;
    if (wanted == "_body") meant.role = Role::body;
    if (meant.role == Role::body || wanted.empty() || (is_id && column == nullptr)) continue;
    if (is_computed(wanted) || (column != nullptr && !column->writable())) {
      bound.warnings.push_back(name + " is computed on reading and was passed over");
      continue;
    }
    if (column == nullptr) {
      errors.push_back(unknown_column(name, schema));
      continue;
    }
    meant.role = is_id ? Role::row_id_and_field : Role::field;
    meant.column = static_cast<std::size_t>(column - schema.columns.data());
    if (is_taken[meant.column]) {
      errors.push_back({ErrorCode::invalid_argument,
                        "two columns of the file are the column '" + column->id + "'",
                        Map{}});
    }
    is_taken[meant.column] = true;
  }
  if (!errors.empty()) return join(errors);
  return bound;
}

Result<Map> schema_of_source(const Source& source, const ImportRequest& request) {
  List columns;
  std::vector<Error> errors;
  for (std::size_t place = 0; place < source.columns.size(); ++place) {
    const std::string& name = source.columns[place];
    const std::string id = name_in_database(name, request);
    if (id.empty() || id == "_id" || id == "_body" || is_computed(id)) continue;
    if (id.starts_with('_')) {
      errors.push_back({ErrorCode::invalid_value,
                        "a column cannot be called '" + id +
                            "': ids with _ in front are "
                            "notesdb's own; --name '" +
                            name + "=COLUMN' gives it another",
                        Map{}});
      continue;
    }
    const Value* given = find_given(request, id);
    columns.push_back(given != nullptr ? *given : to_map(infer_source_column(source, place, id)));
  }
  for (const Value& given : request.columns)
    if (std::ranges::find(columns, given) == columns.end()) columns.push_back(given);
  if (!errors.empty()) return join(errors);
  return Map{{"name", name_in(request.database_id)}, {"columns", std::move(columns)}};
}

ImportedRow row_of_record(const Source& source,
                          const SourceRecord& record,
                          const ImportColumns& columns,
                          const Schema& schema,
                          EmptyCells empty_cells) {
  ImportedRow row;
  for (std::size_t place = 0; place < columns.by_place.size(); ++place) {
    const ImportColumn& meant = columns.by_place[place];
    const std::optional<Value>& cell = record.cells[place];
    if (meant.is_row_id() && cell && !cell->is_null()) row.id = text_of_cell(*cell);
    if (meant.role == Role::body && cell && !cell->is_null()) row.body = text_of_cell(*cell);
    if (!meant.is_field()) continue;
    const Column& column = schema.columns[meant.column];
    const bool is_there = cell && !says_nothing(*cell, column, source.form);
    if (is_there)
      row.fields.push_back({column.id, field_value(*cell, column, source.form)});
    else if (empty_cells == EmptyCells::clear)
      row.fields.push_back({column.id, Value()});
  }
  return row;
}

}  // namespace notesdb
