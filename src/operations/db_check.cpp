// db_check and db_fix: what is wrong in the files, and the fixes that have one meaning.
#include "check/check.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

CheckRequest request_of(const Call& call) {
  CheckRequest request;
  request.database_id = call.arguments.text("database_id");
  if (call.arguments.find("paths") != nullptr) {
    const std::vector<std::string> paths = call.arguments.names("paths");
    request.paths.emplace(paths.begin(), paths.end());
  }
  return request;
}

std::vector<Argument> asked(Effect effect) {
  std::vector<Argument> arguments{
      {.name = "database_id", .description = "absent: every database", .is_listed = false},
      {.name = "paths",
       .kind = ArgumentKind::names,
       .description = "of the files to look at, from the workspace root; absent: all",
       .is_listed = false}};
  if (writes(effect)) arguments.push_back(dry_run_argument());
  return arguments;
}

Result<Value> check_files(const Call& call) {
  Workspace& workspace = call.context.workspace;
  const CheckRequest request = request_of(call);
  Result<CheckAnswer> answer = check(workspace, request);
  if (!answer) return answer.error();
  Value value = check_result(*answer);
  if (answer->issues.empty() || workspace.settings().read_only.value) return value;
  Result<FixAnswer> fixes = fix(workspace, request, WriteMode::dry_run);
  if (!fixes) return fixes.error();
  value.set("fixes", fixed_fields(fixes->files));
  return value;
}

Result<Value> fix_files(const Call& call) {
  Result<FixAnswer> answer = fix(call.context.workspace, request_of(call), call.write_mode());
  if (!answer) return answer.error();
  return with_receipt(Map{{"fixed", fixed_fields(answer->files)}}, *answer);
}

}  // namespace

const Operation& db_check() {
  static const Operation operation{
      .name = "db_check",
      .title = "Check the data",
      .description = "Lists what is wrong in the files, with place and fix.",
      .arguments = asked(Effect::reads),
      .result = {{"databases", ResultKind::integer},
                 {"issues", ResultKind::maps},
                 {"fixes", ResultKind::maps, Presence::sometimes}},
      .shown = "issues",
      .run = check_files};
  return operation;
}

const Operation& db_fix() {
  static const Operation operation{
      .name = "db_fix",
      .title = "Fix the data",
      .description = "Fixes what has one meaning, in one change that db_undo takes back.",
      .effect = Effect::updates,
      .idempotent = true,
      .arguments = asked(Effect::updates),
      .result = {{"fixed", ResultKind::maps},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "fixed",
      .run = fix_files};
  return operation;
}

}  // namespace notesdb
