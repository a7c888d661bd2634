#include "exchange/import_plan.h"

#include <algorithm>
#include <utility>

#include "database/row_draft.h"
#include "database/row_template.h"
#include "database/validate.h"
#include "exchange/cell.h"

namespace notesdb {
namespace {

constexpr std::int64_t all_rows = std::int64_t{1} << 53;

std::string slug_source(const Schema& schema, const Map& fields) {
  const Column* column =
      schema.row_id.from.empty() ? title_column(schema) : schema.find(schema.row_id.from);
  const Value* value = column == nullptr ? nullptr : find_member(fields, column->id);
  return value == nullptr ? "" : text_of_cell(*value);
}

Map without_nulls(Map fields) {
  std::erase_if(fields, [](const Member& field) { return field.value.is_null(); });
  return fields;
}

}  // namespace

ImportPlan::ImportPlan(FileSystem& files,
                       const Database* existing,
                       const Source& source,
                       const ImportRequest& request,
                       WriteMode mode)
    : files_(files), existing_(existing), source_(source), request_(request), mode_(mode) {}

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

Result<void> ImportPlan::make() {
  auto folder = DatabaseFolder::read(files_, request_.database_id);
  if (!folder) return folder.error();
  folder_ = *std::move(folder);
  auto listing = folder_->list_rows(files_);
  if (!listing) return listing.error();
  listing_ = *std::move(listing);
  new_ids_.emplace(*folder_, listing_);
  targets_.emplace(files_);
  for (const std::string& path : listing_.paths)
    row_ids_.emplace(folder_->names().id_of(path));
  auto columns = bind_columns(source_, request_, schema());
  if (!columns) return columns.error();
  columns_ = *std::move(columns);
  answer_.notes = columns_.notes;
  answer_.issues = source_.issues;
  if (auto done = read_existing(); !done) return done;
  match_records();
  name_new_rows();
  judge();
  check_unique();
  std::ranges::stable_sort(answer_.issues, {}, &Issue::line);
  if (!answer_.issues.empty()) return {};
  return plan_steps();
}

Result<void> ImportPlan::read_existing() {
  std::vector<std::string> wanted;
  for (const Column& column : schema().columns)
    if (column.unique) wanted.push_back(column.id);
  const std::string& match = request_.match;
  if (!match.empty() && match != "_id") {
    if (schema().find(match) == nullptr) {
      return unknown_name(ErrorCode::unknown_field, "column", match, schema().column_ids());
    }
    if (std::ranges::find(wanted, match) == wanted.end()) wanted.push_back(match);
  }
  for (const std::string& column : wanted)
    owners_.emplace(column, ValueOwners(schema(), column));
  if (existing_ == nullptr || wanted.empty()) return {};
  const auto answer = existing_->query({.select = wanted, .limit = all_rows});
  if (!answer) return answer.error();
  for (const Row& row : answer->rows)
    for (const Member& field : row.fields)
      owners_.at(field.key).add(field.value, {row.id});
  return {};
}

void ImportPlan::match_records() {
  std::map<std::string, std::uint32_t> changed_by;
  for (const SourceRecord& record : source_.records) {
    Planned& planned = planned_.emplace_back();
    planned.record = &record;
    planned.row = row_of_record(source_, record, columns_, schema(), request_.empty_cells);
    if (!request_.match.empty()) match(planned);
    if (planned.is_new) continue;
    const auto [before, is_first] = changed_by.emplace(planned.id, record.line);
    if (is_first) continue;
    complain(
        record.line,
        "match",
        "line " + std::to_string(before->second) + " changes the row '" + planned.id + "' already");
  }
}

void ImportPlan::refuse(Planned& planned, std::string message) {
  planned.refused = true;
  complain(planned.record->line, "match", std::move(message));
}

// Finds the row that a record is about.
void ImportPlan::match(Planned& planned) {
  if (request_.match == "_id") {
    if (planned.row.id.empty()) return refuse(planned, "the record has no row id");
    planned.is_new = !row_ids_.contains(planned.row.id);
    if (!planned.is_new) planned.id = planned.row.id;
    return;
  }
  const std::string& key = request_.match;
  const Value* given = find_member(planned.row.fields, key);
  const Column& column = *schema().find(key);
  const auto value = given == nullptr ? Result<Value>(Value()) : to_column_value(column, *given);
  if (!value) return;  // said when it is judged
  if (is_empty(*value)) {
    return refuse(planned, "the record has no " + key + ", by which rows are told apart");
  }
  const ValueOwners& owners = owners_.at(key);
  const ValueOwners::Owner* owner = owners.find(*value);
  if (owner == nullptr) return;
  if (owners.is_shared(*value)) {
    return refuse(planned,
                  "several rows have the " + key + " " + to_display(*value) +
                      ", so that it names none of them");
  }
  planned.is_new = false;
  planned.id = owner->row_id;
  if (planned.row.id.empty() || planned.row.id == planned.id) return;
  refuse(planned,
         "the " + key + " is that of the row '" + planned.id + "', and the row id says '" +
             planned.row.id + "'");
}

void ImportPlan::name_new_rows() {
  for (Planned& planned : planned_) {
    if (!planned.is_new || planned.refused) continue;
    auto id = new_ids_->take(planned.row.id, slug_source(schema(), planned.row.fields));
    if (!id) {
      complain(planned.record->line, "id", id.error().message);
      continue;
    }
    planned.id = *std::move(id);
    row_ids_.insert(planned.id);
  }
}

void ImportPlan::judge() {
  for (Planned& planned : planned_)
    if (!planned.refused) judge_one(planned);
}

void ImportPlan::judge_one(Planned& planned) {
  const RowExists exists = [&](const std::string& database, const std::string& row) {
    if (database == request_.database_id && row_ids_.contains(row)) return true;
    return targets_->has(database, row);
  };
  JudgedFields judged;
  if (planned.is_new) {
    const NewRow row{.fields = without_nulls(planned.row.fields), .body = planned.row.body};
    auto draft = draft_row(schema(), row, now_, exists);
    if (!draft) return complain(planned.record->line, "row", draft.error().message);
    judged = std::move(draft->judged);
    planned.body = std::move(draft->body);
  } else {
    judged = judge_fields(schema(), planned.row.fields, exists);
  }
  for (const Error& error : judged.errors)
    complain(planned.record->line, "column", error.message);
  for (const Violation& violation : judged.violations)
    complain(planned.record->line, violation.rule, violation.message, violation.field);
  planned.fields = std::move(judged.fields);
}

void ImportPlan::check_unique() {
  for (auto& [column, owners] : owners_)
    if (schema().find(column)->unique) check_unique(column, owners);
}

void ImportPlan::check_unique(const std::string& column, ValueOwners& owners) {
  for (const Planned& planned : planned_)
    if (!planned.is_new && find_member(planned.fields, column) != nullptr)
      owners.release(planned.id);
  for (const Planned& planned : planned_) {
    const Value* value = find_member(planned.fields, column);
    if (value == nullptr) continue;
    const ValueOwners::Owner* owner = owners.find(*value);
    if (owner == nullptr) {
      owners.add(*value, {planned.id, planned.record->line});
      continue;
    }
    const std::string whose = owner->line > 0 ? "line " + std::to_string(owner->line) + " has"
                                              : "the row '" + owner->row_id + "' has";
    complain(planned.record->line,
             "unique",
             column + " is " + to_display(*value) + ", which " + whose + " already",
             column);
  }
}

}  // namespace notesdb
