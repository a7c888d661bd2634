#include "operations/meant_rows.h"
#include "operations/operation.h"
#include "operations/row_list.h"

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
  const std::size_t all = groups.size();
  groups.resize(count_within(groups, call.context.max_bytes()));
  Value value = Map{{"database_id", call.database->id()}, {"total", answer->total}};
  if (groups.size() < all) {
    value.set("truncated", true);
    add_notice(value,
               "cut at " + byte_cap(call.context) + " of groups (max_bytes): the first " +
                   std::to_string(groups.size()) + " of " + std::to_string(all) +
                   " are here; sort and limit, or narrow filters");
  }
  value.set("groups", std::move(groups));
  add_notice(value, answer->notice);
  add_notice(value, unknown_rows_notice(call, request.filters, answer->total));
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
          "3 columns, a date also as due:month. filters and sort as in db_query.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    outlined_filters_argument(),
                    {.name = "group_by",
                     .kind = ArgumentKind::names,
                     .flag_help = "a group for each value of up to 3 fields; a date also as "
                                  "due:month"},
                    {.name = "metrics", .kind = ArgumentKind::metrics},
                    {.name = "sort", .kind = ArgumentKind::sorts, .outlined = true},
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
