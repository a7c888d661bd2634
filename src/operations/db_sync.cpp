#include "core/count.h"
#include "git/sync.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/renumbered_answer.h"

namespace notesdb {

namespace {

std::string what_it_would_do(const SyncReport& report) {
  std::string text;
  const auto add = [&](const std::string& verb, std::int64_t number, const std::string& what) {
    if (number > 0) text += (text.empty() ? "would " : "; would ") + verb + count_of(number, what);
  };
  add("commit ", static_cast<std::int64_t>(report.changed_files), "file");
  add("merge ", report.received, "commit");
  add("give a new id to ", static_cast<std::int64_t>(report.renumbered.size()), "row");
  add("push ", report.sent, "commit");
  return text.empty() ? "would change nothing" : text;
}

Result<Value> sync_clone(const Call& call) {
  SyncRequest request{call.arguments.text("remote"),
                      call.arguments.text("branch"),
                      call.write_mode() == WriteMode::dry_run,
                      call.arguments.is_set("strict")};
  Result<SyncReport> report = sync_workspace(call.context.workspace, request);
  if (!report) return report.error();
  if (report->untold != 0) {
    call.context.when_told([root = call.context.workspace.settings().root.value,
                            untold = report->untold] { forget_told_rows(root, untold); });
  }
  Value value = Map{{"remote", report->remote}, {"branch", report->branch}};
  if (request.dry_run) {
    value.set("would", what_it_would_do(*report));
    value.set("would_commit", Value::list_of(report->committed));
    value.set("renumbered", to_value(report->renumbered));
    return value;
  }
  if (!report->set_up.empty()) value.set("set_up", Value::list_of(report->set_up));
  if (!report->put_back.empty()) value.set("put_back", Value::list_of(report->put_back));
  value.set("committed", Value::list_of(report->committed));
  value.set("renumbered", to_value(report->renumbered));
  value.set("received", report->received);
  value.set("sent", report->sent);
  if (!report->issues.empty()) {
    std::vector<std::string> issues;
    for (const Issue& issue : report->issues)
      issues.push_back(to_text(issue));
    value.set("issues", Value::list_of(issues));
    value.set(
        "fix",
        "the merge made these errors, and they are sent; change the fields, or bring a deleted "
        "row back with `notesdb restore DB ROW --at HEAD^1` (or HEAD^2), then sync again");
  }
  if (report->tries > 0) value.set("tries", report->tries);
  if (!report->stopped.empty())
    value.set("stopped", "cancelled while " + report->stopped + "; sync again does the rest");
  return with_receipt(std::move(value), *report);
}

}  // namespace

const Operation& db_sync() {
  static const Operation operation{
      .name = "db_sync",
      .command = "sync",
      .title = "Commit, merge by field and push, through git",
      .description =
          "Commits what changed, fetches, gives rows with an id that is taken a new one, "
          "merges by field and pushes; again where another clone was faster. Stops "
          "before the push if the merge leaves conflicts.",
      .effect = Effect::updates,
      .arguments = {{.name = "remote", .positional = true},
                    {.name = "branch", .positional = true},
                    {.name = "strict",
                     .kind = ArgumentKind::boolean,
                     .description = "stop before the push if the merge made an error"},
                    dry_run_argument()},
      .result = {{"remote", ResultKind::text},
                 {"branch", ResultKind::text},
                 {"committed", ResultKind::texts, Presence::sometimes},
                 {"renumbered", ResultKind::maps},
                 {"issues", ResultKind::texts, Presence::sometimes},
                 {"fix", ResultKind::text, Presence::sometimes},
                 {"would", ResultKind::text, Presence::sometimes},
                 {"would_commit", ResultKind::texts, Presence::sometimes},
                 {"received", ResultKind::integer, Presence::sometimes},
                 {"sent", ResultKind::integer, Presence::sometimes},
                 {"stopped", ResultKind::text, Presence::sometimes}},
      .run = sync_clone};
  return operation;
}

}  // namespace notesdb
