#include "git/history.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> diff(const Call& call) {
  Result<std::vector<RowDifference>> rows = compare_states(
      call.context.workspace, call.arguments.text("from"), call.arguments.text("to"));
  if (!rows) return rows.error();
  List records;
  for (const RowDifference& row : *rows)
    add_records(row, {}, records);
  Value value = Map{{"rows", static_cast<std::int64_t>(rows->size())}};
  value.set("changes", std::move(records));
  return value;
}

}  // namespace

const Operation& db_diff() {
  static const Operation operation{
      .name = "db_diff",
      .command = "diff",
      .title = "Compare two states of the workspace by row and field",
      .description =
          "A and B are git revisions or dates; without B the files as they are now, "
          "without A the last commit.",
      .effect = Effect::reads,
      .arguments = {{.name = "from", .positional = true}, {.name = "to", .positional = true}},
      .result = {{"rows", ResultKind::integer}, {"changes", ResultKind::maps}},
      .shown = "changes",
      .run = diff};
  return operation;
}

}  // namespace notesdb
