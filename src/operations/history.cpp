#include "core/date.h"
#include "database/past.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

std::string_view word_of(StepKind kind) {
  switch (kind) {
    case StepKind::create: return "created";
    case StepKind::replace: return "changed";
    case StepKind::remove: return "deleted";
    case StepKind::rename: return "renamed";
    case StepKind::create_folder: return "folder created";
    case StepKind::remove_folder: break;
  }
  return "folder removed";
}

Value to_value(const PastStep& past) {
  const Kept& step = past.step;
  Value value = Map{{"change", step.change},
                    {"time", format_utc(step.time_us / 1'000'000)},
                    {"action", word_of(step.kind)},
                    {"path", step.path}};
  if (!step.new_path.empty()) value.set("new_path", step.new_path);
  if (step.old_etag) value.set("old_etag", to_text(*step.old_etag));
  if (step.new_etag) value.set("etag", to_text(*step.new_etag));
  if (past.undone) value.set("undone", true);
  if (!past.diff.empty()) value.set("diff", past.diff);
  return value;
}

Result<Value> history(const Call& call) {
  const bool wants_diffs = call.arguments.is_set("diffs");
  const auto past = read_past(call.context.workspace,
                              call.database->id(),
                              call.arguments.text("row_id"),
                              static_cast<std::size_t>(*call.arguments.integer("limit")),
                              wants_diffs ? Diffs::included : Diffs::left_out);
  if (!past) return past.error();
  List changes;
  for (const PastStep& step : *past)
    changes.push_back(to_value(step));
  Value value = Map{{"database_id", call.database->id()}, {"changes", std::move(changes)}};
  if (wants_diffs) {
    std::string diff;
    for (const PastStep& step : *past)
      diff += step.diff;
    value.set("diff", diff);
  }
  return value;
}

}  // namespace

const Operation& history_of_row() {
  static const Operation operation{
      .name = "history",
      .command = "history",
      .title = "What notesdb changed in the last day",
      .description =
          "Lists the changes of a row, or of a whole database with its deleted rows, newest first. "
          "'notesdb undo CHANGE' takes one back.",
      .arguments = {database_argument(),
                    {.name = "row_id", .kind = ArgumentKind::row, .positional = true},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .description = "how many, newest first",
                     .fallback = 50},
                    {.name = "diffs",
                     .kind = ArgumentKind::boolean,
                     .description = "show what each change did"}},
      .result = {{"database_id", ResultKind::text},
                 {"changes", ResultKind::maps},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "changes",
      .run = history};
  return operation;
}

}  // namespace notesdb
