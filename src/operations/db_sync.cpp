#include "git/sync.h"
#include "operations/operation.h"
#include "operations/renumbered_answer.h"

namespace notesdb {

namespace {

Result<Value> sync_clone(const Call& call) {
  SyncRequest request{call.arguments.text("remote"),
                      call.arguments.text("branch"),
                      call.write_mode() == WriteMode::dry_run};
  Result<SyncReport> report = sync_workspace(call.context.workspace, request);
  if (!report) return report.error();
  Value value = Map{{"remote", report->remote}, {"branch", report->branch}};
  if (!report->set_up.empty()) value.set("set_up", Value::list_of(report->set_up));
  if (!report->put_back.empty()) value.set("put_back", Value::list_of(report->put_back));
  value.set("committed", Value::list_of(report->committed));
  value.set("renumbered", to_value(report->renumbered));
  value.set("received", report->received);
  value.set("sent", report->sent);
  if (report->tries > 0) value.set("tries", report->tries);
  return value;
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
          "before the push where the merge left something undecided.",
      .effect = Effect::updates,
      .arguments = {{.name = "remote", .positional = true},
                    {.name = "branch", .positional = true},
                    dry_run_argument()},
      .result = {{"remote", ResultKind::text},
                 {"branch", ResultKind::text},
                 {"committed", ResultKind::texts},
                 {"renumbered", ResultKind::maps},
                 {"received", ResultKind::integer},
                 {"sent", ResultKind::integer}},
      .run = sync_clone};
  return operation;
}

}  // namespace notesdb
