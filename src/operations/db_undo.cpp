#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> undo(const Call& call) {
  Result<Workspace::Undone> undone = call.context.workspace.undo(call.arguments.text("change"));
  if (!undone) return undone.error();
  return Value(Map{{"paths", Value::list_of(undone->paths)}, {"change", undone->change}});
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
                     .required = Doors::all,
                     .positional = true,
                     .if_missing = "every write answers with its change"}},
      .result = {{"paths", ResultKind::texts}, {"change", ResultKind::text}},
      .shown = "paths",
      .run = undo};
  return operation;
}

}  // namespace notesdb
