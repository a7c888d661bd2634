// Import: the records of a file as rows of a database: all of them in one change, or none.
//
//   const auto answer = import_rows(workspace, source, {.database_id = "books"}, WriteMode::write);
//   answer->issues     books.csv:17: error: rating is 11, more than the most allowed, 10 [range]
//
// A column of the file is a column of the database by its id, else by its name. `_id` names rows
// and
// `_body` is their text; what is computed on reading (rollups, _modified, _path) is passed over. A
// cell that is not there leaves its field alone; null clears it.
//
// With `match` a record whose value in that column an existing row has changes that row and no
// other byte of it; every other record is a new row. Values are judged as in every write, and all
// that is wrong with all records is said at once; then nothing is written and nothing left after.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "exchange/source.h"

namespace notesdb {

// What an existing row's field becomes where the record has nothing for it.
enum class EmptyCells { keep, clear };

struct ImportRequest {
  std::string database_id{};
  bool create = false;  // where there is no such database, with columns as the records make them
  List columns{};  // of a new database, as db_create takes them: what inference should not decide
  // Names of the file's columns as the database has them; an empty one leaves the column out.
  std::vector<std::pair<std::string, std::string>> names{};
  std::string id_from{};  // the column of the file that names rows; empty: `_id`, where it is there
  std::string match{};    // a column of the database, or _id; empty: every record is a new row
  EmptyCells empty_cells = EmptyCells::keep;
};

struct ImportAnswer : Receipt {
  bool created = false;
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::vector<Issue> issues{};  // any: then nothing was written
};

// Fails as any write does: read_only, unknown_database, unknown_field for columns that the database
// does not have, all of them at once.
Result<ImportAnswer> import_rows(Workspace& workspace,
                                 const Source& source,
                                 const ImportRequest& request,
                                 WriteMode mode);

}  // namespace notesdb
