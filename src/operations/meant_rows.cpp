#include "operations/meant_rows.h"

#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "index/database_folder.h"
#include "index/relation_cache.h"
#include "query/filter.h"

namespace notesdb {

namespace {

constexpr std::size_t max_looked_for = 5;

// As a pattern that matches the text and no other, whatever its case.
std::string pattern_of(std::string_view text) {
  std::string pattern = "(?i)^";
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (!is_word && static_cast<unsigned char>(c) < 0x80U) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

bool has_row(const Database& database, const std::string& id) {
  QueryRequest request{.filters = Map{{"field", "_id"}, {"operator", "eq"}, {"value", id}},
                       .limit = 0};
  const auto answer = database.query(request);
  return !answer || answer->total > 0;
}

// The text columns of a schema, by whose values people know a row.
std::vector<std::string> text_columns(const Schema& schema) {
  std::vector<std::string> ids;
  for (const Column& column : schema.columns)
    if (column.type == ColumnType::text) ids.push_back(column.id);
  return ids;
}

// The one row that has the text as a value, or the row whose id is nearest; its title where it has
// one.
std::optional<std::string> meant_row(const Database& database, const std::string& text) {
  const auto folder = database.folder();
  if (!folder) return std::nullopt;
  const std::vector<std::string> columns = text_columns((*folder)->schema());
  const auto described = [&](const Row& row) {
    const Value* title = columns.empty() ? nullptr : find_member(row.fields, columns.front());
    const bool has_title = title != nullptr && title->is_text();
    return "'" + row.id + "'" + (has_title ? " (" + title->text() + ")" : "");
  };
  List any;
  for (const std::string& column : columns)
    any.push_back(Map{{"field", column}, {"operator", "matches"}, {"value", pattern_of(text)}});
  if (!any.empty()) {
    const auto found = database.query({.filters = List{Map{{"any", std::move(any)}}}, .limit = 2});
    if (found && found->rows.size() == 1) return described(found->rows.front());
    if (found && found->rows.size() > 1) return std::nullopt;
  }
  const auto ids = database.row_ids();
  const auto nearest = ids ? nearest_name(text, *ids) : std::nullopt;
  if (!nearest) return std::nullopt;
  const auto row = database.query(
      {.filters = Map{{"field", "_id"}, {"operator", "eq"}, {"value", *nearest}}, .limit = 1});
  if (!row || row->rows.empty()) return std::nullopt;
  return described(row->rows.front());
}

// "did you mean 'ada-okafor' (Ada Okafor)?"; empty if nobody can tell.
std::string question_about(Workspace& workspace, const std::string& target, const std::string& id) {
  const auto database = workspace.get(target);
  if (!database) return "";
  const auto meant = meant_row(**database, id);
  return meant ? "did you mean " + *meant + "?" : "";
}

bool compares_rows(const Condition& condition) {
  const std::string_view name = condition.operation->name;
  const bool is_equality = name == "eq" || name == "neq" || name == "in" || name == "not_in" ||
                           (name.ends_with("contains") && condition.field.family == Family::list);
  return is_equality && condition.field.type == ColumnType::relation &&
         condition.field.steps.empty();
}

std::vector<std::string> ids_of(const Condition& condition) {
  std::vector<std::string> ids;
  if (condition.operand.text) ids.push_back(*condition.operand.text);
  for (const Operand& one : condition.operand.any_of)
    if (one.text) ids.push_back(*one.text);
  return ids;
}

}  // namespace

std::string unknown_rows_notice(const Call& call, const Value& filters, std::int64_t total) {
  if (filters.is_null()) return "";
  const auto folder = call.database->folder();
  if (!folder) return "";
  const auto filter = parse_filter(filters, (*folder)->schema(), local_clock());
  if (!filter) return "";
  std::string notice;
  std::size_t looked_for = 0;
  for (const AnyOf& group : filter->all) {
    for (const Condition& condition : group) {
      const bool decides = total == 0 || condition.operation->sense == Sense::negated;
      if (!decides || !compares_rows(condition)) continue;
      const auto database = call.context.workspace.get(condition.field.target);
      if (!database) continue;
      for (const std::string& id : ids_of(condition)) {
        if (++looked_for > max_looked_for) return notice;
        if (id.empty() || has_row(**database, id)) continue;
        const std::string question =
            question_about(call.context.workspace, condition.field.target, id);
        notice += (notice.empty() ? "'" : "; '") + id + "' is not a row of " +
                  condition.field.target + (question.empty() ? "" : "; " + question);
      }
    }
  }
  return notice;
}

Error with_meant_rows(Error error, const Call& call) {
  const Value* violations = error.data.find("violations");
  const Value* fields = call.arguments.find("fields");
  const auto folder = call.database->folder();
  if (violations == nullptr || !violations->is_list() || fields == nullptr || !folder) return error;
  std::size_t looked_for = 0;
  for (const Value& violation : violations->list()) {
    const Value* rule = violation.find("rule");
    const Value* name = violation.find("field");
    if (rule == nullptr || *rule != Value("relation") || name == nullptr) continue;
    const Column* column = (*folder)->schema().find(name->text());
    const Value* given = fields->find(name->text());
    if (column == nullptr || given == nullptr) continue;
    const auto database = call.context.workspace.get(column->target);
    if (!database) continue;
    for (const std::string& id : related_rows(*column, *given)) {
      if (++looked_for > max_looked_for || has_row(**database, id)) continue;
      const std::string question = question_about(call.context.workspace, column->target, id);
      if (!question.empty()) error.message += "; " + question;
    }
  }
  return error;
}

}  // namespace notesdb
