#include <algorithm>

#include "database/health.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> doctor(const Call& call) {
  const auto findings = examine(call.context.workspace);
  if (!findings) return findings.error();
  List checks;
  for (const Finding& finding : *findings) {
    checks.push_back(Map{
        {"check", finding.check}, {"state", name_of(finding.health)}, {"means", finding.meaning}});
  }
  return Value(Map{{"root_name", call.context.workspace.root_name()}, {"checks", checks}});
}

bool finds_broken(const Value& answer) {
  return std::ranges::any_of(answer.find("checks")->list(), [](const Value& check) {
    return *check.find("state") == Value(name_of(Health::broken));
  });
}

}  // namespace

const Operation& doctor_of_workspace() {
  static const Operation operation{
      .name = "doctor",
      .command = "doctor",
      .title = "What this workspace can rely on",
      .description =
          "Says which safeguards hold on this file system and kernel, by trying them, and what is "
          "smaller where one does not. The trial takes place in .notesdb.",
      .result = {{"root_name", ResultKind::text}, {"checks", ResultKind::maps}},
      .shown = "checks",
      .run = doctor,
      .is_bad_news = finds_broken};
  return operation;
}

}  // namespace notesdb
