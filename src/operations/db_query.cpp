#include <algorithm>
#include <iterator>

#include "json/json_value.h"
#include "operations/answer.h"
#include "operations/base_views.h"
#include "operations/meant_rows.h"
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

RowShape shape_of(const Call& call) {
  return {
      .format = call.arguments.text("format") == "table" ? RowFormat::table : RowFormat::objects,
      .body = call.arguments.is_set("include_body") ? BodyIn::included : BodyIn::left_out,
      .columns = {},
      .max_bytes = call.context.max_bytes()};
}

// What an answer says before its rows and after them.
struct Frame {
  Value before = Map{};
  Value behind = Map{};
};

Frame frame_of(const Call& call,
               const QueryAnswer& answer,
               const RowShape& shape,
               std::int64_t returned,
               const std::vector<std::string>& cut_bodies) {
  Portion portion{.total = answer.total,
                  .offset = call.arguments.integer("offset").value_or(0),
                  .limit = call.arguments.integer("limit"),
                  .returned = returned,
                  .may_be_table = shape.format == RowFormat::objects};
  Frame frame;
  frame.before.set("database_id", call.database->id());
  describe_portion(frame.before, portion, call.context);
  if (!cut_bodies.empty()) frame.before.set("truncated", true);
  add_notice(frame.before, cut_bodies_notice(cut_bodies));
  add_notice(frame.before, answer.hint);
  add_notice(frame.before,
             unknown_rows_notice(call, call.arguments.value("filters"), answer.total));
  frame.before.set("columns", Value::list_of(shown_columns(shape)));
  if (!answer.groups.empty())
    frame.behind.set("groups", List(answer.groups.begin(), answer.groups.end()));
  if (answer.unreadable > 0) frame.behind.set("unreadable", answer.unreadable);
  if (!answer.issues.empty()) frame.behind.set("issues", first_issues(answer.issues, call.context));
  return frame;
}

void append(Value& answer, Value&& members) {
  std::ranges::move(members.map(), std::back_inserter(answer.map()));
}

bool is_of_base(const Call& call) {
  return is_base_view(call.arguments.text("view"));
}

Result<Value> query(const Call& call) {
  if (is_of_base(call)) return query_base_view(call);
  Result<QueryAnswer> answer = call.database->query(request_of(call));
  if (!answer) return answer.error();
  RowShape shape = shape_of(call);
  shape.columns = answer->columns;
  RowList rows(std::move(answer->rows), shape);
  Frame frame = frame_of(call, *answer, shape, rows.count(), rows.cut_bodies());
  Value value = std::move(frame.before);
  value.set("rows", std::move(rows).take());
  append(value, std::move(frame.behind));
  return value;
}

Result<WrittenAnswer> write_base_view(const Call& call, RowsAs as) {
  auto answer = query_base_view(call);
  if (!answer) return answer.error();
  WrittenAnswer written;
  if (as == RowsAs::list) written.text = to_json(*answer);
  for (const Value& row : answer->find("rows")->list())
    if (as == RowsAs::lines) written.text += to_json(row) + "\n";
  std::erase_if(answer->map(), [](const Member& member) { return member.key == "rows"; });
  written.rest = *std::move(answer);
  return written;
}

Result<WrittenAnswer> query_as_json(const Call& call) {
  if (is_of_base(call)) return write_base_view(call, RowsAs::list);
  RowText rows(shape_of(call), RowsAs::list);
  Result<QueryAnswer> answer = call.database->query(request_of(call), rows);
  if (!answer) return answer.error();
  Frame frame = frame_of(call, *answer, rows.shape(), rows.count(), rows.cut_bodies());
  constexpr std::string_view key = R"("rows":)";
  WrittenAnswer written;
  written.of_rows = rows.take_issues();
  const std::string list = std::move(rows).text();
  std::string& text = written.text;
  text = to_json(frame.before);
  text.reserve(text.size() + key.size() + list.size() + 1);
  text.back() = ',';
  text += key;
  text += list;
  if (!frame.behind.map().empty()) {
    text += to_json(frame.behind).replace(0, 1, ",");
  } else {
    text += '}';
  }
  append(frame.before, std::move(frame.behind));
  written.rest = std::move(frame.before);
  return written;
}

Result<WrittenAnswer> query_as_lines(const Call& call) {
  if (is_of_base(call)) return write_base_view(call, RowsAs::lines);
  RowText rows(shape_of(call), RowsAs::lines);
  Result<QueryAnswer> answer = call.database->query(request_of(call), rows);
  if (!answer) return answer.error();
  Frame frame = frame_of(call, *answer, rows.shape(), rows.count(), rows.cut_bodies());
  append(frame.before, std::move(frame.behind));
  std::vector<Issue> issues = rows.take_issues();
  return WrittenAnswer{std::move(rows).text(), std::move(frame.before), std::move(issues)};
}

std::vector<Error> check(const Call& call) {
  if (call.database == nullptr) return {};
  return is_of_base(call) ? check_base_view(call) : call.database->check(request_of(call));
}

}  // namespace

namespace {

// The one place where an agent reads what the argument is.
Argument told_as_of_argument() {
  Argument argument = as_of_argument();
  argument.is_listed = true;
  return argument;
}

}  // namespace

const Operation& db_query() {
  static const Operation operation{
      .name = "db_query",
      .command = "query",
      .title = "Query rows",
      .description =
          "Finds rows by filters, sorted and paged, with etags. total counts all that match; pass "
          "next_offset as offset for the next page. filters: [{field, operator, value}], all must "
          "hold; {any: [...]} holds if one does. Operators: eq neq gt gte lt lte contains "
          "not_contains starts_with ends_with in not_in is_empty is_not_empty matches. Dates may "
          "be today-7d. sort: \"due desc\", \"-due\" or \"status:options\". select: column ids, "
          "also assignee.name.",
      .effect = Effect::reads,
      .meta = {{"anthropic/alwaysLoad", true}, {"anthropic/maxResultSizeChars", 300'000}},
      .arguments = {database_argument(),
                    filters_argument(),
                    {.name = "sort",
                     .kind = ArgumentKind::sorts,
                     .flag_help = "such as due, due:desc, status:options"},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .fallback = 50,
                     .fallback_at = Doors::tools,
                     .flag_help = "at most this many rows; without it all of them"},
                    {.name = "offset",
                     .kind = ArgumentKind::integer,
                     .fallback = 0,
                     .flag_help = "leave out the first N rows; default 0"},
                    {.name = "select",
                     .kind = ArgumentKind::names,
                     .flag_help = "column ids, also assignee.name"},
                    {.name = "view",
                     .flag_help =
                         "a view of the schema or of a .base file: its filters, order, columns"},
                    {.name = "include_body",
                     .kind = ArgumentKind::boolean,
                     .flag_help = "with the text below the fields of each row"},
                    told_as_of_argument(),
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
      .run_as_json = query_as_json,
      .run_as_lines = query_as_lines,
      .check = check};
  return operation;
}

}  // namespace notesdb
