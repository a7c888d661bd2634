#include "git/history.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> log(const Call& call) {
  constexpr std::size_t shown_of_commit = 10;
  auto most = static_cast<std::size_t>(call.arguments.integer("limit").value_or(0));
  Result<std::vector<Revision>> revisions =
      log_rows(call.context.workspace, call.database->id(), call.arguments.text("row_id"), most);
  if (!revisions) return revisions.error();
  List records;
  for (const Revision& revision : *revisions) {
    Map head{{"date", revision.date},
             {"author", revision.author},
             {"commit", revision.commit.substr(0, shown_of_commit)}};
    for (const RowDifference& row : revision.rows)
      add_records(row, head, records);
  }
  Value value = Map{{"database_id", call.database->id()}};
  value.set("commits", static_cast<std::int64_t>(revisions->size()));
  value.set("changes", std::move(records));
  return value;
}

}  // namespace

const Operation& db_log() {
  static const Operation operation{
      .name = "db_log",
      .command = "log",
      .title = "Show who changed which field, from git's history",
      .description =
          "Newest first: when, who, which field, from what to what. Of the body the "
          "lines are counted.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    {.name = "row_id", .kind = ArgumentKind::row, .positional = true},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .description = "how many commits",
                     .least = 1}},
      .result = {{"commits", ResultKind::integer}, {"changes", ResultKind::maps}},
      .shown = "changes",
      .run = log};
  return operation;
}

}  // namespace notesdb
