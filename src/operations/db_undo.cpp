#include <algorithm>
#include <cctype>
#include <string>

#include "database/past.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

// "3" is the three newest changes; a change's id is longer than any such number.
std::optional<std::int64_t> count_in(const std::string& word) {
  constexpr std::size_t longest = 6;
  if (word.empty()) return 1;
  const bool is_number = word.size() <= longest && std::ranges::all_of(word, [](unsigned char c) {
                           return std::isdigit(c) != 0;
                         });
  if (!is_number) return std::nullopt;
  return std::stoll(word);
}

// An agent takes back what it names and no other's work.
std::optional<std::int64_t> count_of(const Call& call) {
  if (call.context.door != Door::commands) return std::nullopt;
  return count_in(call.arguments.text("change"));
}

Value to_value(const std::vector<Workspace::Undone>& undone) {
  Receipt receipt;
  std::vector<std::string> paths;
  for (const Workspace::Undone& one : undone) {
    paths.insert(paths.end(), one.paths.begin(), one.paths.end());
    receipt.change = one.change;
    receipt.durable = receipt.durable && one.durable;
    receipt.warnings.insert(receipt.warnings.end(), one.warnings.begin(), one.warnings.end());
  }
  return with_receipt(Map{{"paths", Value::list_of(paths)}}, receipt);
}

Result<Value> preview(const Call& call,
                      PastDirection direction,
                      std::optional<std::int64_t> count) {
  Workspace& workspace = call.context.workspace;
  std::vector<std::string> changes{call.arguments.text("change")};
  if (count) {
    auto next = next_changes(workspace.files(), direction, static_cast<std::size_t>(*count));
    if (!next) return next.error();
    if (std::cmp_less(next->size(), *count))
      return not_so_many(workspace.files(), direction, next->size());
    changes = *std::move(next);
  }
  const auto plan = plan_undo(workspace, changes);
  if (!plan) return plan.error();
  return Value(Map{{"paths", Value::list_of(plan->paths)}, {"diff", plan->diff}});
}

// A change that is no undo is not redone but undone.
Result<void> check_is_undo(const FileSystem& files, const std::string& id) {
  bool is_other = false;
  const auto read = files.past_changes([&](const PastChange& change) {
    is_other = change.id == id && !change.is_undo();
    return change.id != id;
  });
  if (!read) return read.error();
  if (!is_other) return {};
  return Error{ErrorCode::invalid_argument,
               "'" + id + "' is not an undo, so there is nothing to redo; notesdb undo " + id +
                   " takes it back",
               Map{}};
}

// Takes back the change that the argument `change` names; on the command line also how many of the
// next ones, which is one where it is absent. A dry run answers with the diff.
Result<Value> run_undo(const Call& call, PastDirection direction) {
  const auto count = count_of(call);
  if (!count && direction == PastDirection::redo) {
    const auto fits = check_is_undo(call.context.workspace.files(), call.arguments.text("change"));
    if (!fits) return fits.error();
  }
  if (call.write_mode() == WriteMode::dry_run) return preview(call, direction, count);
  if (count) {
    const auto undone = step_through_past(call.context.workspace, direction, *count);
    if (!undone) return undone.error();
    return to_value(*undone);
  }
  Result<Workspace::Undone> undone = call.context.workspace.undo(call.arguments.text("change"));
  if (!undone) {
    Error error = undone.error();
    const bool is_tool = call.context.door == Door::tools;
    if (error.code == ErrorCode::invalid_argument && is_tool)
      error.message += "; db_history lists the changes";
    return error;
  }
  return to_value({*std::move(undone)});
}

std::vector<ResultMember> undo_result() {
  return {{"paths", ResultKind::texts},
          {"change", ResultKind::text, Presence::sometimes},
          {"diff", ResultKind::text, Presence::sometimes}};
}

Result<Value> undo(const Call& call) {
  return run_undo(call, PastDirection::undo);
}

Result<Value> redo(const Call& call) {
  return run_undo(call, PastDirection::redo);
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
