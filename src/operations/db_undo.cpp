#include "operations/undo_answer.h"

namespace notesdb {

namespace {

Result<Value> undo(const Call& call) {
  return run_undo(call, PastDirection::undo);
}

}  // namespace

const Operation& db_undo() {
  static const Operation operation{
      .name = "db_undo",
      .command = "undo",
      .title = "Undo a change",
      .description =
          "Takes a change back exactly, by the change that its answer named. Refused if a file has "
          "changed since.",
      .effect = Effect::updates,
      .arguments = {{.name = "change",
                     .required = Doors::tools,
                     .positional = true,
                     .flag_help = "a change, or how many of the newest; default 1",
                     .if_missing = "every write answers with its change; db_history lists them"},
                    dry_run_argument()},
      .result = undo_result(),
      .shown = "paths",
      .run = undo};
  return operation;
}

}  // namespace notesdb
