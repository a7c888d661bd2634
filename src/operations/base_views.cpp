#include "operations/base_views.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bases/base_files.h"
#include "bases/base_view.h"
#include "index/formula_columns.h"
#include "operations/row_list.h"

namespace notesdb {

namespace {

Value row_of(bases::BaseRow&& row, const std::string& database_id) {
  Map value;
  const bool is_own = row.row && row.row->database_id == database_id;
  value.push_back({"id", is_own ? row.row->row_id : row.path});
  if (is_own) value.push_back({"etag", to_text(row.row->etag)});
  value.push_back({"fields", std::move(row.fields)});
  return value;
}

bool is_given(const Call& call, std::string_view name) {
  const Value* given = call.arguments.find(name);
  return given != nullptr && !given->is_null() && *given != Value(false);
}

}  // namespace

bool is_base_view(std::string_view view) {
  return view.substr(0, view.find('#')).ends_with(".base");
}

void add_base_views(const Call& call, Value& schema) {
  List& views = schema.find("views")->list();
  for (bases::BaseFileView& view :
       bases::views_of_base_files(call.context.workspace, call.database->id()))
    views.push_back(Map{{"id", std::move(view.id)},
                        {"name", std::move(view.name)},
                        {"type", std::move(view.type)}});
}

std::vector<Error> check_base_view(const Call& call) {
  std::vector<Error> errors;
  constexpr std::array<std::string_view, 5> others{
      "filters", "sort", "select", "include_body", "format"};
  for (const std::string_view name : others) {
    if (!is_given(call, name)) continue;
    errors.push_back({ErrorCode::invalid_argument,
                      "'" + std::string(name) + "' does not go with the view '" +
                          call.arguments.text("view") +
                          "': a view of a .base file has its own filters, order and columns; "
                          "limit and offset go with it",
                      Map{}});
  }
  return errors;
}

Result<Value> query_base_view(const Call& call) {
  if (const auto errors = check_base_view(call); !errors.empty()) return join(errors);
  const std::int64_t offset = call.arguments.integer("offset").value_or(0);
  const auto limit = call.arguments.integer("limit");
  const bases::BaseRequest request{
      .file = call.arguments.text("view"),
      .now = question_time(),
      .zone = &expression::system_time_zone(),
      .page = bases::BasePage{offset, rows_wanted(limit, call.context)}};
  auto answer = bases::run_base(call.context.workspace, request);
  if (!answer) return answer.error();
  List rows;
  for (bases::BaseRow& row : answer->rows)
    rows.push_back(row_of(std::move(row), call.database->id()));
  rows.resize(count_within(rows, call.context.max_bytes()));
  Value value = Map{{"database_id", call.database->id()}};
  const Portion portion{.total = std::min(answer->total, answer->limit.value_or(answer->total)),
                        .offset = offset,
                        .limit = limit,
                        .returned = static_cast<std::int64_t>(rows.size())};
  describe_portion(value, portion, call.context);
  value.set("columns", Value::list_of(answer->columns));
  if (!answer->display_names.empty()) value.set("display_names", answer->display_names);
  value.set("rows", std::move(rows));
  if (!answer->groups.empty())
    value.set("groups", List(answer->groups.begin(), answer->groups.end()));
  if (!answer->summaries.empty())
    value.set("summaries", List(answer->summaries.begin(), answer->summaries.end()));
  if (answer->unreadable > 0) value.set("unreadable", answer->unreadable);
  if (!answer->issues.empty()) value.set("issues", first_issues(answer->issues, call.context));
  return value;
}

}  // namespace notesdb
