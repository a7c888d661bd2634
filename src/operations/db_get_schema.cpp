#include "operations/answer.h"
#include "operations/base_views.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

// How many rows have each key that the schema does not declare.
Map counts(const SchemaAnswer& answer) {
  Map map;
  for (const auto& [key, count] : answer.undeclared)
    map.push_back({key, count});
  return map;
}

Result<Value> get_schema(const Call& call) {
  Result<SchemaAnswer> answer = call.database->schema();
  if (!answer) return answer.error();
  Value value = schema_value(call.database->id(), *answer);
  add_base_views(call, value);
  if (!answer->undeclared.empty()) value.set("undeclared", counts(*answer));
  if (!answer->notes.empty()) value.set("notes", answer->notes);
  if (!answer->issues.empty()) value.set("issues", to_value(answer->issues));
  return value;
}

}  // namespace

const Operation& db_get_schema() {
  static const Operation operation{.name = "db_get_schema",
                                   .command = "schema",
                                   .title = "Get a schema",
                                   .description =
                                       "Returns a database's columns, types, options, views and "
                                       "templates. Call it before writing "
                                       "filters or fields. Whole numbers beyond 2^53 are text.",
                                   .effect = Effect::reads,
                                   .meta = {{"anthropic/alwaysLoad", true}},
                                   .arguments = {database_argument()},
                                   .result = {{"database_id", ResultKind::text},
                                              {"name", ResultKind::text},
                                              {"columns", ResultKind::maps},
                                              {"views", ResultKind::maps},
                                              {"templates", ResultKind::map},
                                              {"row_id", ResultKind::map},
                                              {"etag", ResultKind::text},
                                              {"undeclared", ResultKind::map, Presence::sometimes}},
                                   .shown = "columns",
                                   .also_shown = {"views", "templates", "row_id"},
                                   .run = get_schema};
  return operation;
}

}  // namespace notesdb
