#include <algorithm>

#include "operations/answer.h"
#include "operations/catalog.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> list_views(const Call& call) {
  Result<SchemaAnswer> answer = call.database->schema();
  if (!answer) return answer.error();
  const Value schema = schema_value(call.database->id(), *answer);
  return Value(Map{{"database_id", call.database->id()}, {"views", *schema.find("views")}});
}

// Without a view their list; with one its rows, as db_query gives them.
Result<Value> run_view(const Call& call) {
  if (call.arguments.text("view").empty()) return list_views(call);
  return find_operation("db_query")->run(call);
}

}  // namespace

const Operation& view_of_database() {
  static const Operation operation{
      .name = "view",
      .command = "view",
      .title = "List the views of a database, or show one",
      .description =
          "Without VIEW the views of the schema; with it the rows of that view: a board group by "
          "group, a calendar day by day, each with its count. `notesdb alter` adds and changes "
          "views.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    {.name = "view", .positional = true, .flag_help = "the id of a view"}},
      .result = {{"database_id", ResultKind::text},
                 {"views", ResultKind::maps, Presence::sometimes},
                 {"rows", ResultKind::rows, Presence::sometimes}},
      .shown = "views",
      .run = run_view};
  return operation;
}

}  // namespace notesdb
