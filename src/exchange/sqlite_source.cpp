// The rows of an SQLite table as records.
#include <algorithm>
#include <chrono>
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

// What one table may take in memory: a view of a few lines makes more rows than any holds.
constexpr std::size_t max_bytes = std::size_t{256} << 20U;

// Fails where the rows do not end, or are too many.
Result<void> take_rows(const sqlite::Connection& file, const std::string& table, Source& source) {
  sqlite::Statement rows = file.prepare("SELECT * FROM " + sqlite::quoted_name(table));
  std::size_t bytes = 0;
  for (std::uint32_t number = 1; rows.step(); ++number) {
    SourceRecord record{number, {}};
    bytes += sizeof(SourceRecord) + source.columns.size() * sizeof(record.cells.front());
    for (int column = 0; column < static_cast<int>(source.columns.size()); ++column) {
      Value value = rows.value(column);
      const auto place = static_cast<std::size_t>(column);
      if (rows.is_blob(column) || (value.is_text() && !is_utf8(value.text()))) {
        source.add_issue(number, "sqlite", source.columns[place] + " holds bytes that are no text");
        value = Value();
      }
      if (value.is_text()) bytes += value.text().size();
      record.cells.push_back(value.is_null() ? std::nullopt : std::optional(std::move(value)));
    }
    if (bytes > max_bytes) {
      return Error{ErrorCode::invalid_argument,
                   "'" + escape_controls(table) + "' has more than 256 MiB of rows (" +
                       std::to_string(number) + " were read), which is the limit of one import",
                   Map{}};
    }
    source.records.push_back(std::move(record));
  }
  return {};
}

}  // namespace

Result<Source> read_sqlite_source(const std::string& path,
                                  const std::string& table,
                                  std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  try {
    sqlite::Connection file(path, sqlite::Opening::read_only);
    file.execute("PRAGMA trusted_schema = OFF");
    file.stop_when([end] { return std::chrono::steady_clock::now() >= end; });
    const auto chosen = choose_table(tables_of(file), table);
    if (!chosen) return chosen.error();
    Source source;
    source.path = path;
    source.form = CellForm::text;
    take_columns(file, *chosen, source);
    if (auto taken = take_rows(file, *chosen, source); !taken) return taken.error();
    return source;
  } catch (const sqlite::Failure& failure) {
    const bool is_late = std::chrono::steady_clock::now() >= end;
    return Error{
        ErrorCode::io_error,
        "cannot read " + path + " as SQLite: " +
            (is_late ? "its rows do not end within " + std::to_string(longest.count()) + " ms"
                     : failure.what()),
        Map{}};
  }
}

}  // namespace notesdb
