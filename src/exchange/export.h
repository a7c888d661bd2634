// Export: rows of a database on their way out: what a query shows, whole, with what each column is.
//
// Without a choice of columns they are `_id`, the database's own, and `_body`; `--select` gives
// exactly what it names, a view its columns after `_id`. Values go out as they stand in the files,
// those that do not fit their column too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/result.h"
#include "database/database.h"
#include "exchange/sheet.h"

namespace notesdb {

struct Exported {
  Sheet sheet;
  std::vector<Column> columns;  // what each column of the sheet is: declared, or text
  std::int64_t unreadable = 0;  // files that are rows by name and could not be read
  std::string hint;             // why nothing was found, where that is easily said
};

// `query` as a caller gives it; the body is there where it is shown. Fails as Database::query does.
Result<Exported> export_rows(const Database& database, QueryRequest query);

// The same without `_body` where no row has one.
Exported without_empty_bodies(Exported exported);

// SQLite export: databases as the tables of one SQLite file, for programs that speak SQL.
//
//   CREATE TABLE "stories" ("_id" TEXT PRIMARY KEY NOT NULL, "title" TEXT, "estimate" NUMERIC,
//                           "urgent" BOOLEAN, "tags" JSON, ..., "_body" TEXT)
//   CREATE UNIQUE INDEX "stories.code" ON "stories" ("code")
//
// A table has the rows in their natural order. Numbers are numbers, checkboxes 0 and 1, dates and
// all other text as written; lists and maps are JSON, for json_each, or with Lists::tables rows of
// a table of their own:
//
//   CREATE TABLE "stories.tags" ("_id" TEXT NOT NULL, "place" INTEGER NOT NULL, "value",
//                                PRIMARY KEY ("_id", "place"))
//
// A relation is the id of the row that it names, whatever link stands in the file, so that tables
// can be joined. A value that does not fit its column stands there as it is. SQLite does not tell
// upper from lower case in names: a second such column gets _2 after its name.

enum class Lists { json, tables };

struct SqliteTable {
  std::string name;
  Exported rows;
};

// What could not be as promised: a unique column whose values repeat.
using SqliteNotes = std::vector<std::string>;

// Makes the file at `path`, which must be new or empty. Fails with io_error.
Result<SqliteNotes> write_sqlite(const std::vector<SqliteTable>& tables,
                                 Lists lists,
                                 const std::string& path);

}  // namespace notesdb
