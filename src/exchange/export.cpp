#include "exchange/export.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/text.h"
#include "sql/sql_table.h"
#include "sqlite/connection.h"

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

namespace {

using sqlite::quoted_name;

// One table of the file, from nothing to its indexes.
class TableWriter {
 public:
  TableWriter(sqlite::Connection& file, const SqliteTable& table, Lists lists)
      : file_(file),
        table_(table),
        sheet_(table.rows.sheet),
        lists_(lists),
        names_(unique_sql_names(sheet_.columns)) {
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i)
      (has_own_table(i) ? own_tables_ : columns_).push_back(i);
  }

  SqliteNotes write() {
    make_table();
    fill_table();
    for (const std::size_t column : own_tables_)
      write_own_table(column);
    SqliteNotes notes;
    for (const std::size_t column : columns_)
      if (table_.rows.columns[column].unique) make_index(column, notes);
    return notes;
  }

 private:
  bool has_own_table(std::size_t column) const {
    return lists_ == Lists::tables && id_column() && table_.rows.columns[column].holds_list();
  }

  std::optional<std::size_t> id_column() const {
    const auto found = std::ranges::find(sheet_.columns, "_id");
    if (found == sheet_.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - sheet_.columns.begin());
  }

  void make_table() {
    std::string columns;
    for (const std::size_t column : columns_) {
      columns += (columns.empty() ? "" : ", ") + quoted_name(names_[column]) + " ";
      columns += sheet_.columns[column] == "_id" ? "TEXT PRIMARY KEY NOT NULL"
                                                 : declared_sql_type(table_.rows.columns[column]);
    }
    file_.execute("CREATE TABLE " + quoted_name(table_.name) + " (" + columns + ")");
  }

  void fill_table() {
    std::string marks;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      marks += i == 0 ? "?" : ", ?";
    sqlite::Statement insert =
        file_.prepare("INSERT INTO " + quoted_name(table_.name) + " VALUES (" + marks + ")");
    for (const auto& row : sheet_.rows) {
      int place = 1;
      for (const std::size_t column : columns_)
        insert.bind_value(place++, sql_value(table_.rows.columns[column], row[column]));
      insert.run();
    }
  }

  void write_own_table(std::size_t column) {
    const std::string name = quoted_name(table_.name + "." + names_[column]);
    file_.execute("CREATE TABLE " + name +
                  " (\"_id\" TEXT NOT NULL, \"place\" INTEGER NOT NULL, \"value\", "
                  "PRIMARY KEY (\"_id\", \"place\"))");
    sqlite::Statement insert = file_.prepare("INSERT INTO " + name + " VALUES (?, ?, ?)");
    for (const auto& row : sheet_.rows) {
      const List items = sql_items(table_.rows.columns[column], row[column]);
      for (std::size_t i = 0; i < items.size(); ++i) {
        insert.bind(1, row[*id_column()].text()).bind(2, static_cast<std::int64_t>(i));
        insert.bind_value(3, sql_value(items[i]));
        insert.run();
      }
    }
  }

  // Files may break the rule that a schema makes; then the index lets values repeat.
  void make_index(std::size_t column, SqliteNotes& notes) {
    const std::string index = quoted_name(table_.name + "." + names_[column] + " unique") + " ON " +
                              quoted_name(table_.name) + " (" + quoted_name(names_[column]) + ")";
    try {
      file_.execute("CREATE UNIQUE INDEX " + index);
    } catch (const sqlite::Failure&) {
      file_.execute("CREATE INDEX " + index);
      notes.push_back(sheet_.columns[column] + " of " + table_.name +
                      " is declared unique and has values that repeat; its index allows that");
    }
  }

  sqlite::Connection& file_;
  const SqliteTable& table_;
  const Sheet& sheet_;
  Lists lists_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> own_tables_;
  std::vector<std::string> names_;
};

}  // namespace

Result<SqliteNotes> write_sqlite(const std::vector<SqliteTable>& tables,
                                 Lists lists,
                                 const std::string& path) {
  try {
    sqlite::Connection file(path);
    // A new file that is thrown away if anything fails needs no journal on the disk; one in memory
    // takes back an index that cannot be.
    file.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN");
    SqliteNotes notes;
    for (const SqliteTable& table : tables)
      std::ranges::move(TableWriter(file, table, lists).write(), std::back_inserter(notes));
    file.execute("COMMIT");
    return notes;
  } catch (const sqlite::Failure& failure) {
    return Error{ErrorCode::io_error,
                 std::string("the SQLite file could not be written: ") + failure.what(),
                 Map{}};
  }
}

}  // namespace notesdb
