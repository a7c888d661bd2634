#include "operations/answer.h"
#include "operations/batch_answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> run(const Call& call) {
  auto filters = bulk_filters(call);
  if (!filters) return filters.error();
  if (*filters) {
    BatchOperation operation{{.action = RowAction::remove, .database_id = call.database->id()}};
    operation.filters = **std::move(filters);
    return batch_answer(call, {operation});
  }
  Result<WriteAnswer> answer = remove_row(call.context.workspace,
                                          call.database->id(),
                                          call.arguments.text("row_id"),
                                          call.etag(),
                                          call.write_mode());
  if (!answer) return answer.error();
  return renamed(write_result(*std::move(answer), call.context.max_bytes()), "row", "deleted");
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
                    row_or_filters_argument(),
                    etag_argument(Doors::none),
                    bulk_filters_argument(),
                    bulk_count_argument(),
                    dry_run_argument()},
      .result = {{"deleted", ResultKind::map},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "deleted",
      .run = run};
  return operation;
}

}  // namespace notesdb
