#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/row_list.h"

namespace notesdb {

namespace {

QueryRequest request_of(const Call& call) {
  const Arguments& arguments = call.arguments;
  QueryRequest request;
  request.filters = arguments.value("filters");
  request.sort = arguments.value("sort");
  request.view = arguments.text("view");
  request.select = arguments.names("select");
  request.limit = rows_wanted(arguments.integer("limit"), call.context);
  request.offset = arguments.integer("offset").value_or(0);
  request.include_body = arguments.is_set("include_body");
  return request;
}

Result<Value> query(const Call& call) {
  QueryRequest request = request_of(call);
  Result<QueryAnswer> answer = call.database->query(request);
  if (!answer) return answer.error();

  RowList rows(
      std::move(answer->rows),
      {.format = call.arguments.text("format") == "table" ? RowFormat::table : RowFormat::objects,
       .body = request.include_body ? BodyIn::included : BodyIn::left_out,
       .columns = answer->columns,
       .most_bytes = call.context.most_bytes()});
  Portion portion{.total = answer->total,
                  .offset = request.offset,
                  .limit = call.arguments.integer("limit"),
                  .returned = rows.count()};

  Value value = Map{{"database_id", call.database->id()}};
  describe_portion(value, portion, call.context);
  if (!answer->hint.empty()) value.set("notice", answer->hint);
  value.set("columns", Value::list_of(rows.columns()));
  value.set("rows", std::move(rows).take());
  if (!answer->groups.empty()) {
    value.set("groups", List(answer->groups.begin(), answer->groups.end()));
  }
  if (answer->unreadable > 0) value.set("unreadable", answer->unreadable);
  if (!answer->issues.empty()) value.set("issues", first_issues(answer->issues, call.context));
  return value;
}

std::vector<Error> check(const Call& call) {
  return call.database == nullptr ? std::vector<Error>{} : call.database->check(request_of(call));
}

}  // namespace

const Operation& db_query() {
  static const Operation operation{
      .name = "db_query",
      .command = "query",
      .title = "Query rows",
      .description =
          "Finds rows by filters, sorted and paged, with etags. total counts all that match; "
          "next_offset goes on. Operators: eq neq gt gte lt lte contains not_contains starts_with "
          "ends_with in not_in is_empty is_not_empty matches. Dates may be today-7d.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    filters_argument(),
                    {.name = "sort", .kind = ArgumentKind::sorts},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .fallback = 50,
                     .fallback_at = Doors::tools},
                    {.name = "offset", .kind = ArgumentKind::integer, .fallback = 0},
                    {.name = "select",
                     .kind = ArgumentKind::names,
                     .description = "column ids, also assignee.name"},
                    {.name = "view"},
                    {.name = "include_body", .kind = ArgumentKind::boolean},
                    as_of_argument(),
                    {.name = "format",
                     .kind = ArgumentKind::choice,
                     .offered = Doors::tools,
                     .choices = {"objects", "table"}}},
      .result = {{"total", ResultKind::integer},
                 {"returned", ResultKind::integer},
                 {"next_offset", ResultKind::integer, Presence::sometimes},
                 {"truncated", ResultKind::boolean},
                 {"notice", ResultKind::text, Presence::sometimes},
                 {"columns", ResultKind::texts},
                 {"rows", ResultKind::rows},
                 {"groups", ResultKind::maps, Presence::sometimes}},
      .shown = "rows",
      .run = query,
      .check = check};
  return operation;
}

}  // namespace notesdb
