#include "exchange/export.h"

#include <algorithm>
#include <utility>

namespace notesdb {
namespace {

constexpr std::string_view id_name = "_id";
constexpr std::string_view body_name = "_body";

// The columns that go out, and whether they are a person's very choice.
void choose_columns(const Schema& schema, QueryRequest& query) {
  if (!query.select.empty()) return;
  const View* view = schema.find_view(query.view);
  query.select.emplace_back(id_name);
  if (view != nullptr && !view->columns.empty()) {
    std::ranges::copy_if(view->columns, std::back_inserter(query.select), [](const auto& name) {
      return name != id_name;
    });
    return;
  }
  for (const Column& column : schema.columns)
    query.select.push_back(column.id);
  query.select.emplace_back(body_name);
}

Column column_for(const Schema& schema, const std::string& name) {
  if (const Column* column = schema.find(name)) return *column;
  Column column;
  column.id = column.name = name;
  return column;
}

Value cell_for(const Schema& schema, const Row& row, const std::string& name) {
  if (name == id_name || (name == "row_id" && schema.find(name) == nullptr)) return row.id;
  if (name == body_name) return row.body.empty() ? Value() : Value(row.body);
  if (name == "_modified") return row.modified;
  const Value* value = find_member(row.fields, name);
  return value != nullptr ? *value : Value();
}

}  // namespace

Result<Exported> export_rows(const Database& database, QueryRequest query) {
  const auto schema = database.schema();
  if (!schema) return schema.error();
  choose_columns(schema->schema, query);
  query.include_body = std::ranges::find(query.select, body_name) != query.select.end();
  auto answer = database.query(query);
  if (!answer) return answer.error();
  Exported exported;
  // A view may name columns that have gone; the answer has those that are shown.
  exported.sheet.columns = answer->columns;
  exported.unreadable = answer->unreadable;
  exported.hint = std::move(answer->hint);
  for (const std::string& name : exported.sheet.columns)
    exported.columns.push_back(column_for(schema->schema, name));
  for (const Row& row : answer->rows) {
    auto& cells = exported.sheet.rows.emplace_back();
    for (const std::string& name : exported.sheet.columns)
      cells.push_back(cell_for(schema->schema, row, name));
  }
  return exported;
}

Exported without_empty_bodies(Exported exported) {
  auto& names = exported.sheet.columns;
  const auto found = std::ranges::find(names, body_name);
  if (found == names.end()) return exported;
  const auto place = found - names.begin();
  const auto has_body = [&](const auto& row) {
    return !row[static_cast<std::size_t>(place)].is_null();
  };
  if (std::ranges::any_of(exported.sheet.rows, has_body)) return exported;
  names.erase(found);
  exported.columns.erase(exported.columns.begin() + place);
  for (auto& row : exported.sheet.rows)
    row.erase(row.begin() + place);
  return exported;
}

}  // namespace notesdb
