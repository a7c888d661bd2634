#include "git/conflicts.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Value to_value(const RowConflict& conflict) {
  Value value = Map{};
  if (!conflict.database_id.empty()) value.set("database_id", conflict.database_id);
  value.set("row_id", conflict.row_id.empty() ? conflict.path : conflict.row_id);
  value.set("field", conflict.field);
  if (conflict.values.base) value.set("base", *conflict.values.base);
  if (conflict.values.ours) value.set("ours", *conflict.values.ours);
  if (conflict.values.theirs) value.set("theirs", *conflict.values.theirs);
  return value;
}

Result<Value> conflicts(const Call& call) {
  Result<std::vector<RowConflict>> found = find_conflicting_rows(call.context.workspace);
  if (!found) return found.error();
  List list;
  for (const RowConflict& conflict : *found)
    list.push_back(to_value(conflict));
  Value value = Map{{"total", static_cast<std::int64_t>(found->size())}};
  value.set("conflicts", std::move(list));
  return value;
}

}  // namespace

const Operation& db_conflicts() {
  static const Operation operation{
      .name = "db_conflicts",
      .command = "conflicts",
      .title = "List the conflicts of a merge",
      .description =
          "Each field in conflict with its values: base, ours, theirs. `notesdb resolve` "
          "settles one.",
      .effect = Effect::reads,
      .result = {{"total", ResultKind::integer}, {"conflicts", ResultKind::maps}},
      .shown = "conflicts",
      .run = conflicts};
  return operation;
}

}  // namespace notesdb
