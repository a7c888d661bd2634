#include "operations/undo_answer.h"

namespace notesdb {

namespace {

Result<Value> redo(const Call& call) {
  return run_undo(call, PastDirection::redo);
}

}  // namespace

const Operation& redo_of_change() {
  static const Operation operation{
      .name = "redo",
      .command = "redo",
      .title = "Redo what undo took back",
      .description =
          "Makes the change again that undo took back last. Repeated, it goes forward change by "
          "change, until another change is made. Refused if a file has changed since.",
      .effect = Effect::updates,
      .arguments = {{.name = "change",
                     .positional = true,
                     .flag_help = "how many changes, or the change of an undo; default 1"},
                    dry_run_argument()},
      .result = undo_result(),
      .shown = "paths",
      .run = redo};
  return operation;
}

}  // namespace notesdb
