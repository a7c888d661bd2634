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
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "exchange/export.h"

namespace notesdb {

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
