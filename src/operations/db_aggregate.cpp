#include "operations/meant_rows.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> aggregate(const Call& call) {
  AggregateRequest request;
  request.filters = call.arguments.value("filters");
  request.group_by = call.arguments.names("group_by");
  request.metrics = call.arguments.value("metrics");
  request.sort = call.arguments.value("sort");
  request.limit = call.arguments.integer("limit");
  Result<AggregateAnswer> answer = call.database->aggregate(request);
  if (!answer) return answer.error();

  List groups(answer->groups.begin(), answer->groups.end());
  Value value = Map{{"database_id", call.database->id()}, {"total", answer->total}};
  value.set("groups", std::move(groups));
  std::string notice = answer->notice;
  const std::string rows = unknown_rows_notice(call, request.filters, answer->total);
  notice += (notice.empty() || rows.empty() ? "" : "; ") + rows;
  if (!notice.empty()) value.set("notice", notice);
  if (answer->unreadable > 0) value.set("unreadable", answer->unreadable);
  return value;
}

}  // namespace

const Operation& db_aggregate() {
  static const Operation operation{
      .name = "db_aggregate",
      .command = "aggregate",
      .title = "Count and sum",
      .description =
          "Counts, sums and averages rows in groups. Without metrics it counts; group_by takes up "
          "to "
          "3 columns, a date also as due:month.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    outlined_filters_argument(),
                    {.name = "group_by",
                     .kind = ArgumentKind::names,
                     .flag_help = "a group for each value of up to 3 fields; a date also as "
                                  "due:month"},
                    {.name = "metrics", .kind = ArgumentKind::metrics},
                    {.name = "sort",
                     .kind = ArgumentKind::sorts,
                     .description = "as in db_query",
                     .outlined = true},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .flag_help = "at most this many groups; without it all of them"},
                    as_of_argument()},
      .result = {{"total", ResultKind::integer}, {"groups", ResultKind::maps}},
      .shown = "groups",
      .run = aggregate};
  return operation;
}

}  // namespace notesdb
