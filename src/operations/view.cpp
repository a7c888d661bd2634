#include <algorithm>
#include <iterator>

#include "operations/answer.h"
#include "operations/base_views.h"
#include "operations/catalog.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> list_views(const Call& call) {
  Result<SchemaAnswer> answer = call.database->schema();
  if (!answer) return answer.error();
  Value schema = schema_value(call.database->id(), *answer);
  add_base_views(call, schema);
  return Value(Map{{"database_id", call.database->id()}, {"views", *schema.find("views")}});
}

// What a view shows its rows under: lanes by a column, days by a date. Null if nothing.
const Column* column_of_groups(const Schema& schema, const View& view) {
  if (!view.group_by.empty()) return schema.find(view.group_by);
  return view.type == "calendar" ? schema.find(view.date_column) : nullptr;
}

// The rows with what they are shown under, so that an interface can put them there.
Map question_with_groups(const std::string& database_id, const View& view, const Column& column) {
  Map question{{"database_id", database_id}, {"view", view.id}};
  if (view.columns.empty()) return question;
  List select;
  const bool has_column = std::ranges::find(view.columns, column.id) != view.columns.end();
  if (!has_column) select.emplace_back(column.id);
  std::ranges::copy(view.columns, std::back_inserter(select));
  question.push_back({"select", std::move(select)});
  return question;
}

// Without a view their list; with one its rows, as db_query gives them.
Result<Value> run_view(const Call& call) {
  if (call.arguments.text("view").empty()) return list_views(call);
  const Operation& query = *find_operation("db_query");
  if (is_base_view(call.arguments.text("view"))) return query.run(call);
  const Result<SchemaAnswer> answer = call.database->schema();
  if (!answer) return answer.error();
  const View* view = answer->schema.find_view(call.arguments.text("view"));
  const Column* column = view == nullptr ? nullptr : column_of_groups(answer->schema, *view);
  if (column == nullptr) return query.run(call);
  const Arguments arguments(question_with_groups(call.database->id(), *view, *column));
  return query.run(Call{call.context, call.database, arguments});
}

}  // namespace

const Operation& view_of_database() {
  static const Operation operation{
      .name = "view",
      .command = "view",
      .title = "List the views of a database, or show one",
      .description =
          "Without VIEW the views of the schema and of the .base files in the folder; with it the "
          "rows of that view: a board group by group, a calendar day by day, each with its count. "
          "`notesdb alter` adds and changes views.",
      .effect = Effect::reads,
      .arguments = {database_argument(),
                    {.name = "view", .positional = true, .flag_help = "the id of a view"}},
      .result = {{"database_id", ResultKind::text},
                 {"views", ResultKind::maps, Presence::sometimes},
                 {"rows", ResultKind::rows, Presence::sometimes}},
      .shown = "views",
      .run = run_view};
  return operation;
}

}  // namespace notesdb
