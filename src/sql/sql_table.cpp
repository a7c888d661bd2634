#include "sql/sql_table.h"

#include <set>

#include "core/text.h"
#include "index/relation_cache.h"
#include "json/json_value.h"

namespace notesdb {

std::string sql_table_name(const std::string& database_id) {
  return database_id == "." ? "rows" : database_id;
}

std::vector<std::string> unique_sql_names(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> unique;
  for (const std::string& given : names) {
    std::string name = given;
    for (int number = 2; !taken.insert(fold_case(name)).second; ++number)
      name = given + "_" + std::to_string(number);
    unique.push_back(std::move(name));
  }
  return unique;
}

std::string_view declared_sql_type(const Column& column) {
  if (column.holds_list()) return "JSON";
  switch (column.type) {
    case ColumnType::number: return "NUMERIC";
    case ColumnType::checkbox: return "BOOLEAN";
    case ColumnType::json:
    case ColumnType::unknown:
    case ColumnType::rollup:
    case ColumnType::formula: return "JSON";
    default: return "TEXT";
  }
}

namespace {

// A relation is the rows that it names.
Value named(const Column& column, const Value& value) {
  if (column.type != ColumnType::relation || is_empty(value)) return value;
  const auto ids = related_rows(column, value);
  if (column.holds_list() || value.is_list()) return Value::list_of(ids);
  return ids.empty() ? value : Value(ids.front());
}

}  // namespace

Value sql_value(const Value& value) {
  return value.is_scalar() ? value : Value(to_json(value));
}

Value sql_value(const Column& column, const Value& value) {
  return sql_value(named(column, value));
}

List sql_items(const Column& column, const Value& value) {
  const Value items = named(column, value);
  if (items.is_null()) return {};
  return items.is_list() ? items.list() : List{items};
}

}  // namespace notesdb
