#include "exchange/import_plan.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "database/validate.h"

namespace notesdb {
namespace {

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

}  // namespace

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
  for (const SourceRecord& record : source_.records)
    read_record(record);
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

}  // namespace notesdb
