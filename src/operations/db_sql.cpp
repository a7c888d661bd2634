#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/row_list.h"
#include "sql/sql.h"

namespace notesdb {

namespace {

std::string notice_of(const SqlAnswer& answer, const Call& call) {
  std::string notice;
  if (answer.has_more) {
    const std::string count = std::to_string(answer.rows.size());
    const auto limit = call.arguments.integer("limit");
    const bool is_as_asked = limit && *limit == static_cast<std::int64_t>(answer.rows.size());
    const std::string why = is_as_asked ? "limit"
                            : answer.is_cut_by_bytes
                                ? byte_cap(call.context) + " of rows, max_bytes"
                                : "max_rows";
    notice = "the query gives more rows than the " + count + " here (" + why +
             "); go on with LIMIT and OFFSET in an ORDER BY query";
  }
  if (!answer.notice.empty()) notice += (notice.empty() ? "" : "; ") + answer.notice;
  return notice;
}

Result<Value> list_tables(const Call& call) {
  auto tables = sql_tables(call.context.workspace);
  if (!tables) return tables.error();
  List rows;
  for (const Map& column : tables->columns) {
    List row;
    for (const char* name : {"table", "column", "type", "references", "hidden"}) {
      const Value* value = find_member(column, name);
      row.push_back(value == nullptr ? Value() : *value);
    }
    rows.emplace_back(std::move(row));
  }
  Value value =
      Map{{"columns", Value::list_of({"table", "column", "type", "references", "hidden"})},
          {"returned", static_cast<std::int64_t>(rows.size())},
          {"truncated", false}};
  value.set("rows", std::move(rows));
  if (!tables->issues.empty()) value.set("issues", first_issues(tables->issues, call.context));
  return value;
}

Result<Value> sql(const Call& call) {
  const Arguments& arguments = call.arguments;
  const bool has_query = arguments.find("query") != nullptr;
  if (arguments.is_set("schema") && !has_query) return list_tables(call);
  if (!has_query || arguments.is_set("schema")) {
    return Error{ErrorCode::invalid_argument,
                 has_query ? "--schema lists the tables and takes no query"
                           : "missing argument QUERY; --schema lists the tables to query",
                 Map{}};
  }
  SqlRequest request;
  request.query = arguments.text("query");
  if (arguments.value("params").is_map()) request.params = arguments.value("params").map();
  request.max_rows = rows_wanted(arguments.integer("limit"), call.context);
  request.max_bytes = call.context.max_bytes();
  request.max_memory = call.context.workspace.settings().query_memory.value;
  auto answer = run_sql(call.context.workspace, request);
  if (!answer) return answer.error();

  Value value = Map{{"columns", Value::list_of(answer->columns)},
                    {"returned", static_cast<std::int64_t>(answer->rows.size())},
                    {"truncated", answer->has_more}};
  if (const std::string notice = notice_of(*answer, call); !notice.empty())
    value.set("notice", notice);
  value.set("rows", std::move(answer->rows));
  if (answer->unreadable > 0) value.set("unreadable", answer->unreadable);
  if (!answer->issues.empty()) value.set("issues", first_issues(answer->issues, call.context));
  return value;
}

}  // namespace

const Operation& db_sql() {
  static const Operation operation{
      .name = "db_sql",
      .command = "sql",
      .title = "Run a SELECT",
      .description =
          "Runs one SELECT of SQLite over the databases as tables: _id, columns, _body, "
          "_path, _modified. Lists are JSON. params: {since: ...} for :since.",
      .effect = Effect::reads,
      .arguments = {{.name = "query",
                     .required = Doors::tools,
                     .positional = true,
                     .flag_help = "one SELECT; a database is a table"},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .flag_help = "at most this many rows; without it all of them"},
                    {.name = "params",
                     .kind = ArgumentKind::settings,
                     .flag = "param",
                     .flag_help = "the value of :KEY in the query; repeatable; ? is KEY 1"},
                    as_of_argument(),
                    {.name = "schema",
                     .kind = ArgumentKind::boolean,
                     .offered = Doors::commands,
                     .flag_help = "list the tables and their columns instead"}},
      .result = {{"columns", ResultKind::texts},
                 {"returned", ResultKind::integer, Presence::sometimes},
                 {"truncated", ResultKind::boolean, Presence::sometimes},
                 {"notice", ResultKind::text, Presence::sometimes},
                 {"rows", ResultKind::rows}},
      .shown = "rows",
      .run = sql};
  return operation;
}

}  // namespace notesdb
