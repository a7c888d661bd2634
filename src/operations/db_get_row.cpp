#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> get_row(const Call& call) {
  Result<Row> row = call.database->get(call.arguments.text("row_id"));
  if (!row) return row.error();
  return Value(Map{{"row", to_whole_value(*row)}});
}

}  // namespace

const Operation& db_get_row() {
  static const Operation operation{
      .name = "db_get_row",
      .command = "get",
      .title = "Get a row",
      .description = "Gives one row whole: fields, body, undeclared keys (extra), issues and etag.",
      .effect = Effect::reads,
      .arguments = {database_argument(), row_argument()},
      .result = {{"row", ResultKind::map}},
      .shown = "row",
      .run = get_row};
  return operation;
}

}  // namespace notesdb
