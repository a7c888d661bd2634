// Sql: one SELECT over the databases of a workspace, each of them a table.
//
//   auto answer = run_sql(workspace, {.query = "SELECT s.title, p.name FROM stories s "
//                                              "JOIN people p ON s.assignee = p._id"});
//
// SQLite runs it over the rows of the index (rows_as_table.h); nothing is copied into a table
// first. All tables of a query are as they are at one moment each. The statement can read the
// databases and nothing else: whatever would write, open a file, change a setting or load code is
// refused before it runs. Time, cancellation and what the answer takes are the Budget's
// (core/budget.h); what SQLite itself takes is bounded by `max_memory`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/value.h"
#include "database/workspace.h"

namespace notesdb {

struct SqlRequest {
  std::string query{};
  // By name: since for :since, @since or $since, and the number of a ? or ?3.
  Map params{};
  std::optional<std::int64_t> max_rows{};
  std::optional<std::size_t> max_bytes{};  // of rows as JSON; the first is there however long
  std::uint64_t max_memory = std::numeric_limits<std::uint64_t>::max();
};

struct SqlAnswer {
  std::vector<std::string> columns{};  // each once; a second `_id` is `_id_2`
  // A list each, in the order of the columns. A BLOB is its SQL text, X'00ff'.
  List rows{};
  bool has_more = false;         // whether the query gives more rows than are here
  bool is_cut_by_bytes = false;  // and max_bytes is why
  std::int64_t unreadable = 0;   // files of the tables that are rows by name and could not be read
  std::vector<Issue> issues{};   // one for each of those
  std::string notice{};  // tables with rows of which a part could not be read; empty if none
};

// Fails with unknown_database and unknown_field, naming the nearest table or column, and with
// invalid_argument for what SQLite refuses or is no SELECT. Throws BudgetSpent.
Result<SqlAnswer> run_sql(Workspace& workspace, const SqlRequest& request);

// The tables and their columns: {table, column, type, references?, hidden?}; a hidden column is not
// among those of SELECT *. Of a database whose schema cannot be read an issue says why.
struct SqlTables {
  std::vector<Map> columns{};
  std::vector<Issue> issues{};
};
Result<SqlTables> sql_tables(Workspace& workspace);

}  // namespace notesdb
