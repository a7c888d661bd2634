#include "operations/operation.h"
#include "operations/row_list.h"
#include "search/search.h"

namespace notesdb {

namespace {

Value to_value(const FoundRow& row) {
  return Map{{"database_id", row.database_id},
             {"id", row.id},
             {"etag", to_text(row.etag)},
             {"title", row.title},
             {"snippet", row.snippet}};
}

Result<Value> search(const Call& call) {
  const Arguments& arguments = call.arguments;
  SearchRequest request;
  request.text = arguments.text("text");
  if (call.database != nullptr) request.database_id = call.database->id();
  request.filters = arguments.value("filters");
  request.limit = rows_wanted(arguments.integer("limit"), call.context);
  request.offset = arguments.integer("offset").value_or(0);
  Result<SearchAnswer> answer = search_rows(call.context.workspace, request);
  if (!answer) return answer.error();

  List rows;
  for (const FoundRow& row : answer->rows)
    rows.push_back(to_value(row));
  rows.resize(count_within(rows, call.context.max_bytes()));
  Portion portion{.total = answer->total,
                  .offset = request.offset,
                  .limit = arguments.integer("limit"),
                  .returned = static_cast<std::int64_t>(rows.size())};
  Value value = Map{};
  describe_portion(value, portion, call.context);
  value.set("rows", std::move(rows));
  return value;
}

}  // namespace

const Operation& db_search() {
  Argument database = database_argument();
  database.description = "only this one";
  database.is_listed = false;
  database.required = Doors::none;
  database.positional = false;
  database.flag = "in";
  static const Operation operation{
      .name = "db_search",
      .command = "search",
      .title = "Search rows",
      .description =
          "Finds rows by words in fields and bodies, best first. All words must occur; \"a "
          "phrase\", begin*, -not, a OR (b c), status:open, body:word. filters as in db_query.",
      .effect = Effect::reads,
      .arguments = {{.name = "text", .required = Doors::all, .positional = true},
                    database,
                    outlined_filters_argument(),
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .fallback = 20,
                     .flag_help = "at most this many rows; default 20"},
                    {.name = "offset",
                     .kind = ArgumentKind::integer,
                     .fallback = 0,
                     .flag_help = "leave out the first N rows; default 0"}},
      .result = {{"total", ResultKind::integer},
                 {"returned", ResultKind::integer},
                 {"next_offset", ResultKind::integer, Presence::sometimes},
                 {"rows", ResultKind::maps}},
      .shown = "rows",
      .run = search};
  return operation;
}

}  // namespace notesdb
