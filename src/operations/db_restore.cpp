#include "git/history.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> restore(const Call& call) {
  Result<WriteAnswer> answer = restore_row(call.context.workspace,
                                           call.database->id(),
                                           call.arguments.text("row_id"),
                                           call.arguments.text("revision"),
                                           call.write_mode());
  if (!answer) return answer.error();
  return write_result(*std::move(answer), call.context.max_bytes());
}

}  // namespace

const Operation& db_restore() {
  static const Operation operation{
      .name = "db_restore",
      .command = "restore",
      .title = "Write a row back as it was",
      .description =
          "The row's file becomes what it was at a git revision or date, byte for byte, "
          "after the checks of every write; a deleted row comes back.",
      .effect = Effect::updates,
      .idempotent = true,
      .arguments = {database_argument(),
                    row_argument(),
                    {.name = "revision",
                     .description = "a git revision or a date",
                     .required = Doors::all,
                     .flag = "at"},
                    dry_run_argument()},
      .result = {{"row", ResultKind::map},
                 {"changed", ResultKind::boolean},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "row",
      .run = restore};
  return operation;
}

}  // namespace notesdb
