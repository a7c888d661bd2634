#include "exchange/import.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/budget.h"
#include "core/column.h"
#include "core/progress.h"
#include "core/schema.h"
#include "database/row_plan.h"
#include "database/validate.h"
#include "database/value_owners.h"
#include "exchange/cell.h"
#include "files/names.h"
#include "infer/infer_column.h"
#include "json/json_value.h"
#include "schema/document.h"

namespace notesdb {

namespace {

// Inferred schema: the columns that the records of a file make, for a database about to be made.
//
// A type holds only where every value has it, for what is imported must fit; else the column is
// text, or json where lists or maps stand in it. Digits that are a name stay text: 007, 1.10,
// ISBNs. An SQLite table says itself which of its columns are truth values and JSON.

Look look_of_value(const Value& value, CellForm form) {
  switch (value.kind()) {
    case ValueKind::null: return Look::empty;
    case ValueKind::boolean: return Look::checkbox;
    case ValueKind::integer:
    case ValueKind::real: return Look::number;
    case ValueKind::text:
      return form == CellForm::text ? look_of_plain(value.text()) : look_of_text(value.text());
    case ValueKind::map: return Look::map;
    case ValueKind::list: break;
  }
  const bool is_plain = std::ranges::all_of(
      value.list(), [](const Value& item) { return item.is_scalar() && !item.is_null(); });
  if (!is_plain) return Look::map;
  return value.list().empty() ? Look::empty : Look::list;
}

Observation observe_cell(const Value& value, CellForm form) {
  Observation seen;
  seen.look = look_of_value(value, form);
  seen.is_list = value.is_list();
  if (value.is_list()) {
    for (const Value& item : value.list())
      seen.items.push_back(text_of_cell(item));
  } else if (!value.is_map()) {
    seen.text = text_of_cell(value);
  }
  return seen;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

ColumnType type_where_nothing_holds(const ObservedKey& seen) {
  const bool is_nested = std::ranges::any_of(seen.values, [](const Observation& value) {
    return value.look == Look::list || value.look == Look::map;
  });
  return is_nested ? ColumnType::json : ColumnType::text;
}

Column of_type(ColumnType type, const std::string& id) {
  Column column;
  column.id = column.name = id;
  column.type = type;
  column.type_name = name_of(type);
  return column;
}

// The column that column `place` of the source makes, under another id.
Column infer_source_column(const Source& source, std::size_t place, const std::string& id) {
  const std::string declared =
      place < source.declared_types.size() ? upper_case(source.declared_types[place]) : "";
  if (declared.starts_with("BOOL")) return of_type(ColumnType::checkbox, id);
  ObservedKey seen;
  for (const SourceRecord& record : source.records) {
    if (!record.cells[place]) continue;
    Value value = *record.cells[place];
    if (declared == "JSON" && value.is_text())
      if (auto parsed = parse_json(value.text())) value = *std::move(parsed);
    seen.values.push_back(observe_cell(value, source.form));
  }
  const auto nowhere = [](const auto&) { return std::optional<std::string>(); };
  InferredColumn inferred = infer_column(id, seen, source.records.size(), nowhere);
  if (!inferred.invalid_values.empty()) return of_type(type_where_nothing_holds(seen), id);
  // What holds for these records need not hold for the next.
  inferred.column.required = false;
  inferred.column.unique = false;
  return inferred.column;
}

// Import columns: what each column of a file means to the database that takes its records.

struct ImportColumn {
  enum class Role { field, row_id, row_id_and_field, body, left_out };
  Role role = Role::left_out;
  std::size_t column = 0;  // of the schema, where it is a field

  bool is_field() const { return role == Role::field || role == Role::row_id_and_field; }
  bool is_row_id() const { return role == Role::row_id || role == Role::row_id_and_field; }
};

struct ImportColumns {
  std::vector<ImportColumn> by_place;  // as the source has them
  std::vector<std::string> warnings;   // what was passed over and why
};

// One record as a write takes it.
struct ImportedRow {
  std::string id;  // empty: none given
  Map fields;      // null clears
  std::optional<std::string> body;
};

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

// Fails with unknown_field for columns that the database does not have, all at once.
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

// The schema file's map for a database that the source's columns make.
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

// ImportPlan: what an import would do: which records are new rows, which change one, as operations
// on rows, and what is wrong with which line. Reads, and writes nothing.
class ImportPlan {
 public:
  ImportPlan(Workspace& workspace, const Source& source, const ImportRequest& request, Stage stage)
      : workspace_(workspace), source_(source), request_(request), rows_(workspace, stage) {}

  // Fails with what concerns the file as a whole; what is wrong with records is in the issues, and
  // then the plan has no steps.
  Result<Plan> make();
  // Counts and issues.
  const ImportAnswer& answer() const { return answer_; }

 private:
  const Schema& schema() const { return folder_->schema(); }
  void complain(std::uint32_t line, std::string rule, std::string message, std::string field = {});
  Result<void> make_database();
  Result<void> read_existing(const Database& database);
  void read_record(const SourceRecord& record);
  // The row that a record changes; empty for a new one. None where nobody can say.
  std::optional<std::string> match(const SourceRecord& record, const ImportedRow& row);
  void complain_of_rows();
  void count_rows();

  Workspace& workspace_;
  const Source& source_;
  const ImportRequest& request_;
  RowPlan rows_;
  std::shared_ptr<const DatabaseFolder> folder_;
  ImportColumns columns_;
  std::optional<ValueOwners> owners_;                // of the column to match by
  std::set<std::string> row_ids_;                    // those that are there
  std::map<std::string, std::uint32_t> changed_by_;  // by row: the line that changes it
  std::vector<RowOperation> operations_;
  std::vector<std::uint32_t> lines_;  // by operation
  ImportAnswer answer_;
};

constexpr std::int64_t all_rows = std::int64_t{1} << 53;

Map without_nulls(Map fields) {
  std::erase_if(fields, [](const Member& field) { return field.value.is_null(); });
  return fields;
}

Error missing(Error error) {
  if (error.code == ErrorCode::unknown_database)
    error.message += std::string(error.message.ends_with('?') ? "" : ";") +
                     " --create makes it, with columns as the file has them";
  return error;
}

void ImportPlan::complain(std::uint32_t line,
                          std::string rule,
                          std::string message,
                          std::string field) {
  Issue issue;
  issue.path = source_.path;
  issue.line = line;
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  issue.field = std::move(field);
  answer_.issues.push_back(std::move(issue));
}

Result<Plan> ImportPlan::make() {
  const auto existing = workspace_.get(request_.database_id);
  if (existing) {
    auto folder = (*existing)->folder();
    if (!folder) return folder.error();
    folder_ = *std::move(folder);
  } else {
    const bool is_missing = existing.error().code == ErrorCode::unknown_database;
    if (!is_missing || !request_.create) return missing(existing.error());
    if (auto made = make_database(); !made) return made.error();
  }
  auto columns = bind_columns(source_, request_, schema());
  if (!columns) return columns.error();
  columns_ = *std::move(columns);
  answer_.issues = source_.issues;
  if (!request_.match.empty() && request_.match != "_id") {
    const std::string& match = request_.match;
    if (schema().find(match) == nullptr)
      return unknown_name(ErrorCode::unknown_field, "column", match, schema().column_ids());
    owners_.emplace(schema(), match);
  }
  if (existing) {
    if (auto done = read_existing(**existing); !done) return done.error();
  }
  Progress::begin(source_.records.size(), "reading records");
  for (const SourceRecord& record : source_.records) {
    Budget::look();
    Progress::step();
    read_record(record);
  }
  rows_.run(operations_);
  complain_of_rows();
  Plan plan;
  if (!answer_.issues.empty()) return plan;
  count_rows();
  auto whole = rows_.finish();
  if (!whole) return whole;
  whole->warnings.insert(
      whole->warnings.begin(), columns_.warnings.begin(), columns_.warnings.end());
  whole->what =
      "import of " + std::to_string(operations_.size()) + " rows into " + request_.database_id;
  return whole;
}

Result<void> ImportPlan::make_database() {
  const auto map = schema_of_source(source_, request_);
  if (!map) return map.error();
  auto file = workspace_.plan_database({*map, request_.database_id});
  if (!file) return file.error();
  answer_.created = true;
  if (auto made = rows_.create_database(file->database_id, file->path, file->bytes); !made)
    return made;
  folder_ = rows_.folder(file->database_id);
  return {};
}

Result<void> ImportPlan::read_existing(const Database& database) {
  if (request_.match == "_id") {
    auto ids = database.row_ids();
    if (!ids) return ids.error();
    row_ids_.insert(ids->begin(), ids->end());
  }
  if (!owners_) return {};
  const auto answer = database.query({.select = {request_.match}, .limit = all_rows});
  if (!answer) return answer.error();
  for (const Row& row : answer->rows)
    for (const Member& field : row.fields)
      owners_->add(field.value, {row.id});
  return {};
}

void ImportPlan::read_record(const SourceRecord& record) {
  ImportedRow row = row_of_record(source_, record, columns_, schema(), request_.empty_cells);
  const auto matched = match(record, row);
  if (!matched) return;
  RowOperation operation{.database_id = folder_->id()};
  operation.place = "line " + std::to_string(record.line);
  if (matched->empty()) {
    operation.row = {.fields = without_nulls(std::move(row.fields)),
                     .body = std::move(row.body),
                     .row_id = std::move(row.id)};
  } else {
    const auto [before, is_first] = changed_by_.emplace(*matched, record.line);
    if (!is_first) {
      return complain(
          record.line,
          "match",
          "line " + std::to_string(before->second) + " changes the row '" + *matched + "' already");
    }
    operation.action = RowAction::update;
    operation.change = {
        .row_id = *matched, .fields = std::move(row.fields), .body = std::move(row.body)};
  }
  operations_.push_back(std::move(operation));
  lines_.push_back(record.line);
}

std::optional<std::string> ImportPlan::match(const SourceRecord& record, const ImportedRow& row) {
  const auto refuse = [&](std::string message) {
    complain(record.line, "match", std::move(message));
    return std::optional<std::string>();
  };
  const std::string& key = request_.match;
  if (key.empty()) return "";
  if (key == "_id") {
    if (row.id.empty()) return refuse("the record has no row id");
    return row_ids_.contains(row.id) ? row.id : "";
  }
  const Value* given = find_member(row.fields, key);
  const Column& column = *schema().find(key);
  const auto value = given == nullptr ? Result<Value>(Value()) : to_column_value(column, *given);
  if (!value) return "";  // said when it is judged
  if (is_empty(*value))
    return refuse("the record has no " + key + ", by which rows are told apart");
  const ValueOwners::Owner* owner = owners_->find(*value);
  if (owner == nullptr) return "";
  if (owners_->is_shared(*value)) {
    return refuse("several rows have the " + key + " " + to_display(*value) +
                  ", so that it names none of them");
  }
  if (row.id.empty() || row.id == owner->row_id) return owner->row_id;
  return refuse("the " + key + " is that of the row '" + owner->row_id +
                "', and the row id says '" + row.id + "'");
}

void ImportPlan::complain_of_rows() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const RowOutcome& outcome = rows_.outcomes()[i];
    for (const Error& error : outcome.judged.errors)
      complain(lines_[i], "column", error.message);
    for (const Violation& violation : outcome.judged.violations)
      complain(lines_[i], violation.rule, violation.message, violation.field);
    if (!outcome.failure) continue;
    const bool is_of_id = outcome.failure->code == ErrorCode::already_exists ||
                          outcome.failure->code == ErrorCode::path_not_allowed;
    complain(lines_[i], is_of_id ? "id" : "row", outcome.failure->message);
  }
  std::ranges::stable_sort(answer_.issues, {}, &Issue::line);
}

void ImportPlan::count_rows() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const bool is_new = operations_[i].action == RowAction::insert;
    const bool is_changed = rows_.outcomes()[i].changed;
    ++(is_new ? answer_.inserted : is_changed ? answer_.updated : answer_.unchanged);
  }
}

}  // namespace

Result<ImportAnswer> import_rows(Workspace& workspace,
                                 const Source& source,
                                 const ImportRequest& request,
                                 WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (mode == WriteMode::write) (void)workspace.files().recover();
  ImportAnswer answer;
  Receipt receipt;
  const auto make = [&](Stage stage) {
    ImportPlan import(workspace, source, request, stage);
    auto plan = import.make();
    answer = import.answer();
    return plan;
  };
  const auto written = commit(workspace.files(), mode, make, receipt);
  if (!written) return written.error();
  static_cast<Receipt&>(answer) = std::move(receipt);
  return answer;
}

}  // namespace notesdb
