#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Value describe(const DatabaseSummary& summary) {
  Value value = Map{{"id", summary.id}, {"name", summary.name}};
  if (!summary.description.empty()) value.set("description", summary.description);
  value.set("row_count", summary.row_count);
  value.set("column_count", summary.column_count);
  value.set("issue_count", summary.issue_count);
  return value;
}

Result<Value> list(const Call& call) {
  Result<WorkspaceSummary> summary = call.context.workspace.summary();
  if (!summary) return summary.error();
  List databases;
  for (const DatabaseSummary& database : summary->databases)
    databases.push_back(describe(database));
  const auto max_bytes =
      static_cast<std::int64_t>(call.context.workspace.settings().max_bytes.value);
  return Value(Map{{"root_name", summary->root_name},
                   {"read_only", summary->read_only},
                   {"limits", Map{{"max_rows", summary->max_rows}, {"max_bytes", max_bytes}}},
                   {"databases", std::move(databases)},
                   {"issues", to_value(summary->issues)}});
}

}  // namespace

const Operation& db_list() {
  static const Operation operation{
      .name = "db_list",
      .command = "list",
      .title = "List databases",
      .description = "Lists the databases with their ids, row counts and issues. Start here.",
      .effect = Effect::reads,
      .meta = {{"anthropic/alwaysLoad", true}},
      .arguments = {},
      .result = {{"root_name", ResultKind::text},
                 {"read_only", ResultKind::boolean},
                 {"limits", ResultKind::map},
                 {"databases", ResultKind::maps},
                 {"issues", ResultKind::maps}},
      .shown = "databases",
      .run = list};
  return operation;
}

}  // namespace notesdb
