#include "git/commit_work.h"
#include "git/renumber.h"
#include "git/setup.h"
#include "git/untold_rows.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/renumbered_answer.h"

namespace notesdb {

namespace {

Result<Value> set_up(const Call& call, const Repository& repository) {
  SetupRequest request;
  if (call.arguments.is_set("remove")) request.kind = SetupKind::remove;
  request.hook = call.arguments.is_set("hook");
  request.dry_run = call.write_mode() == WriteMode::dry_run;
  Result<std::vector<std::string>> changed =
      set_up_git(call.context.workspace, repository, request);
  if (!changed) return changed.error();
  return Value(Map{{"set_up", Value::list_of(*changed)}});
}

Result<Value> renumber(const Call& call, const Repository& repository) {
  std::string upstream = call.arguments.text("upstream");
  Result<std::string> commit = repository.commit_of(upstream.empty() ? "@{upstream}" : upstream);
  if (!commit) return commit.error();
  Result<bool> committed = is_committed(repository);
  if (!committed) return committed.error();
  if (!*committed) {
    return Error{ErrorCode::conflict, "commit what you changed first, then renumber", Map{}};
  }
  RenumberMode mode =
      call.write_mode() == WriteMode::dry_run ? RenumberMode::plan : RenumberMode::write;
  Receipt receipt;
  Result<std::vector<Renumbered>> rows =
      renumber_rows(call.context.workspace, repository, *commit, mode, receipt);
  if (!rows) return rows.error();
  if (mode == RenumberMode::write) {
    call.context.when_told(
        [repository, told = untold_size(repository)] { forget_untold_rows(repository, told); });
  }
  return with_receipt(Map{{"renumbered", to_value(*rows)}}, receipt);
}

Result<Value> run_git(const Call& call) {
  Result<Repository> repository = Repository::around(call.context.workspace.settings().root.value);
  if (!repository) return repository.error();
  return call.arguments.text("action") == "setup" ? set_up(call, *repository)
                                                  : renumber(call, *repository);
}

}  // namespace

const Operation& git_command() {
  static const Operation operation{
      .name = "git",
      .command = "git",
      .title = "Prepare a clone for merging rows by field",
      .description =
          "setup installs the merge driver in this clone (--remove takes it out again, "
          "--hook adds a check before each commit); renumber gives rows that another "
          "clone made under the same id a new one before a merge by hand.",
      .effect = Effect::updates,
      .arguments = {{.name = "action",
                     .kind = ArgumentKind::choice,
                     .description = "setup or renumber",
                     .required = Doors::all,
                     .choices = {"setup", "renumber"},
                     .positional = true},
                    {.name = "upstream",
                     .description = "renumber against this branch",
                     .positional = true},
                    {.name = "remove",
                     .kind = ArgumentKind::boolean,
                     .flag_help = "with setup: take the merge driver out again"},
                    {.name = "hook",
                     .kind = ArgumentKind::boolean,
                     .flag_help = "with setup: run `notesdb check` before each commit"},
                    dry_run_argument()},
      .result = {{"set_up", ResultKind::texts, Presence::sometimes},
                 {"renumbered", ResultKind::maps, Presence::sometimes}},
      .run = run_git};
  return operation;
}

}  // namespace notesdb
