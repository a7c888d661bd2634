#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> delete_row(const Call& call) {
  Result<WriteAnswer> answer =
      call.database->remove(call.arguments.text("row_id"), call.etag(), call.write_mode());
  if (!answer) return answer.error();
  return renamed(write_result(*std::move(answer)), "row", "deleted");
}

}  // namespace

const Operation& db_delete_row() {
  static const Operation operation{
      .name = "db_delete_row",
      .command = "delete",
      .title = "Delete a row",
      .description =
          "Deletes a row, if it is as you read it where you give the etag. Answers with what it "
          "held, and a change that db_undo takes back.",
      .effect = Effect::deletes,
      .idempotent = true,
      .arguments = {database_argument(),
                    row_argument(),
                    etag_argument(Doors::none),
                    dry_run_argument()},
      .result = {{"deleted", ResultKind::map},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "deleted",
      .run = delete_row};
  return operation;
}

}  // namespace notesdb
