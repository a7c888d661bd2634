// What related rows add to a database: the columns that follow a relation (assignee.name) and those
// that roll one up, with their values.
#include <algorithm>

#include "database/database.h"
#include "database/derived_columns.h"
#include "index/database_folder.h"
#include "query/field.h"

namespace notesdb {
namespace {

// Rollups of rollups and relations of relations end here, since they may go in a circle.
constexpr int deepest = 4;
constexpr std::int64_t all_rows = std::int64_t{1} << 53;  // the most that a limit may be

}  // namespace

Result<Column> Database::related_column(const Column& relation,
                                        std::string_view field,
                                        int depth) const {
  if (!manner_.neighbour || depth >= deepest) {
    return Error{ErrorCode::unknown_field, "unknown field '" + std::string(field) + "'", Map{}};
  }
  const auto target = manner_.neighbour(relation.target);
  if (!target) return target.error();
  return (*target)->column_of(field, depth + 1);
}

Result<Column> Database::column_of(std::string_view name, int depth) const {
  const auto current = folder();
  if (!current) return current.error();
  const Schema& schema = (*current)->schema();
  const bool is_column = schema.find(name) != nullptr;
  if (const Column* relation = is_column ? nullptr : followed_relation(schema, name)) {
    auto field = related_column(*relation, name.substr(relation->id.size() + 1), depth);
    if (!field) return field.error();
    return followed_column(*relation, std::move(*field), std::string(name));
  }
  const auto field = bind_field(name, schema);
  if (!field) return field.error();
  if (field->source != Field::Source::column || !field->steps.empty()) {
    Column pseudo;
    pseudo.id = name;
    pseudo.type = field->steps.empty() ? field->type : ColumnType::json;
    return pseudo;
  }
  const Column& column = schema.columns[field->column];
  if (!column.rollup) return column;
  const Column* relation = schema.find(column.rollup->relation);
  if (relation == nullptr) return rollup_column(column, nullptr);
  const auto over = related_column(*relation, column.rollup->field, depth);
  return rollup_column(column, over ? &*over : nullptr);
}

Result<void> Database::add_related_values(const Column& relation,
                                          DerivedColumn& column,
                                          int depth) const {
  const auto target = manner_.neighbour(relation.target);
  if (!target) return target.error();
  const std::string field =
      column.rollup ? column.rollup->field : column.column.id.substr(relation.id.size() + 1);
  QueryRequest request;
  request.select = {field.empty() ? "_id" : field};
  request.limit = all_rows;
  request.include_body = false;
  auto rows = (*target)->query_at(request, depth + 1);
  if (!rows) return rows.error();
  for (Row& row : rows->rows) {
    const Value* value = find_member(row.fields, field);
    Value found = value != nullptr ? *value : Value();
    if (field == "_id" || field == "row_id") found = row.id;
    if (field == "_modified") found = row.modified;
    column.related.emplace(std::move(row.id), std::move(found));
  }
  return {};
}

Result<DerivedColumns> Database::derive(const DatabaseFolder& folder,
                                        const std::vector<std::string>& names,
                                        int depth) const {
  const Schema& schema = folder.schema();
  DerivedColumns derived(schema);
  if (!manner_.neighbour || depth >= deepest) return derived;
  for (const std::string& name : names) {
    const auto place = schema.index_of(name);
    const Column* relation = followed_relation(schema, name);
    const auto same = [&](const DerivedColumn& other) { return other.column.id == name; };
    if (relation == nullptr) continue;
    if (std::any_of(derived.columns().begin(), derived.columns().end(), same)) continue;
    auto column = column_of(name, depth);
    // What cannot be followed is refused where it is asked for.
    if (!column) continue;
    DerivedColumn made{*std::move(column),
                       place.value_or(0),
                       static_cast<std::size_t>(relation - schema.columns.data())};
    if (place) made.rollup = schema.columns[*place].rollup;
    if (auto done = add_related_values(*relation, made, depth); !done) {
      if (made.rollup) continue;  // a rollup that can no longer be computed has no value
      return done.error();
    }
    derived.add(std::move(made));
  }
  return derived;
}

}  // namespace notesdb
