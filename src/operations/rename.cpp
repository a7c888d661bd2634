#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> rename(const Call& call) {
  RowChange change;
  change.row_id = call.arguments.text("row_id");
  change.new_row_id = call.arguments.text("new_row_id");
  change.etag = call.etag();
  Result<WriteAnswer> answer =
      update_row(call.context.workspace, call.database->id(), std::move(change), call.write_mode());
  if (!answer) return answer.error();
  return write_result(*std::move(answer), call.context.max_bytes());
}

}  // namespace

const Operation& rename_row() {
  static const Operation operation{
      .name = "rename",
      .command = "rename",
      .title = "Rename a row",
      .description =
          "Gives a row another id; every reference to it, in fields and bodies, follows in the "
          "same change.",
      .effect = Effect::updates,
      .idempotent = false,
      .arguments = {database_argument(),
                    row_argument(),
                    {.name = "new_row_id",
                     .required = Doors::all,
                     .positional = true,
                     .if_missing = "the row's new id"},
                    etag_argument(Doors::none),
                    dry_run_argument()},
      .result = {{"row", ResultKind::map},
                 {"changed", ResultKind::boolean},
                 {"references", ResultKind::integer, Presence::sometimes},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "row",
      .run = rename};
  return operation;
}

}  // namespace notesdb
