// The rows of an SQLite table as records.
#include <algorithm>
#include <utility>

#include "core/text.h"
#include "exchange/source.h"
#include "sqlite/connection.h"

namespace notesdb {
namespace {

std::vector<std::string> tables_of(const sqlite::Connection& file) {
  std::vector<std::string> names;
  sqlite::Statement tables = file.prepare(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
      "'sqlite~_%' "
      "ESCAPE '~' ORDER BY name");
  while (tables.step())
    names.push_back(tables.text(0));
  return names;
}

Result<std::string> choose_table(const std::vector<std::string>& tables,
                                 const std::string& wanted) {
  if (wanted.empty() && tables.size() == 1) return tables.front();
  if (std::ranges::find(tables, wanted) != tables.end()) return wanted;
  if (!wanted.empty()) return unknown_name(ErrorCode::invalid_argument, "table", wanted, tables);
  std::string names;
  for (const std::string& table : tables)
    names += (names.empty() ? "" : ", ") + table;
  return Error{ErrorCode::invalid_argument,
               tables.empty() ? "the SQLite file has no table"
                              : "the SQLite file has several tables; --table says which: " + names,
               Map{}};
}

void take_columns(const sqlite::Connection& file, const std::string& table, Source& source) {
  sqlite::Statement columns = file.prepare("SELECT name, type FROM pragma_table_info(?)");
  columns.bind(1, table);
  while (columns.step()) {
    source.columns.push_back(columns.text(0));
    source.declared_types.push_back(columns.text(1));
  }
}

void take_rows(const sqlite::Connection& file, const std::string& table, Source& source) {
  sqlite::Statement rows = file.prepare("SELECT * FROM " + sqlite::quoted_name(table));
  for (std::uint32_t number = 1; rows.step(); ++number) {
    SourceRecord record{number, {}};
    for (int column = 0; column < static_cast<int>(source.columns.size()); ++column) {
      Value value = rows.value(column);
      const auto place = static_cast<std::size_t>(column);
      if (rows.is_blob(column) || (value.is_text() && !is_utf8(value.text()))) {
        source.add_issue(number, "sqlite", source.columns[place] + " holds bytes that are no text");
        value = Value();
      }
      record.cells.push_back(value.is_null() ? std::nullopt : std::optional(std::move(value)));
    }
    source.records.push_back(std::move(record));
  }
}

}  // namespace

Result<Source> read_sqlite_source(const std::string& path, const std::string& table) {
  try {
    sqlite::Connection file(path, sqlite::Opening::read_only);
    file.execute("PRAGMA trusted_schema = OFF");
    const auto chosen = choose_table(tables_of(file), table);
    if (!chosen) return chosen.error();
    Source source;
    source.path = path;
    source.form = CellForm::text;
    take_columns(file, *chosen, source);
    take_rows(file, *chosen, source);
    return source;
  } catch (const sqlite::Failure& failure) {
    return Error{
        ErrorCode::io_error, "cannot read " + path + " as SQLite: " + failure.what(), Map{}};
  }
}

}  // namespace notesdb
