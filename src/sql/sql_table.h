// SqlTable: how a database looks as a table of SQL: what its columns are called, what they are
// declared as, and what a value is there.
//
//   CREATE TABLE "stories" ("_id" TEXT, "title" TEXT, "estimate" NUMERIC, "urgent" BOOLEAN,
//                           "tags" JSON, ..., "_body" TEXT)
//
// An export to SQLite makes such tables and a query reads them, so that both say the same. Numbers
// are numbers, checkboxes 0 and 1, dates and all other text as written, lists and maps JSON. A
// relation is the id of the row that it names, whatever link stands in the file, so that tables can
// be joined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/value.h"

namespace notesdb {

// The table of a database; "rows" for the one of the workspace itself.
std::string sql_table_name(const std::string& database_id);

// The same names, each once: SQLite does not tell upper from lower case, and a second name that is
// the same to it gets _2 after it.
std::vector<std::string> unique_sql_names(const std::vector<std::string>& names);

// TEXT, NUMERIC, BOOLEAN or JSON.
std::string_view declared_sql_type(const Column& column);

// A value of a column as it goes into its table: null, a boolean, a number or a text. Nothing is
// converted to the declared type, which is SQLite's to do.
Value sql_value(const Column& column, const Value& value);
// The same of what stands in a list.
Value sql_value(const Value& value);
// The values of a column that holds lists, one by one.
List sql_items(const Column& column, const Value& value);

}  // namespace notesdb
