#include "bases/base_view.h"
#include "index/formula_columns.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<bases::BaseRequest> request_of(const Call& call) {
  const Arguments& arguments = call.arguments;
  const expression::TimeZone& zone = expression::system_time_zone();
  bases::BaseRequest request{.file = arguments.text("file"),
                             .view = arguments.text("view"),
                             .embedding = arguments.text("as"),
                             .zone = &zone,
                             .limit = arguments.integer("limit")};
  const std::string now = arguments.text("now");
  if (now.empty()) {
    request.now = question_time();
    return request;
  }
  const auto given = expression::parse_date(now, zone);
  if (!given) {
    return Error{
        ErrorCode::invalid_argument,
        "'" + now + "' is not a time; write 2026-01-31, 2026-01-31T09:05:00 or with a zone",
        Map{}};
  }
  request.now = *given;
  return request;
}

List to_list(const std::vector<Map>& maps) {
  return {maps.begin(), maps.end()};
}

Result<Value> run_base_command(const Call& call) {
  const auto request = request_of(call);
  if (!request) return request.error();
  auto answer = bases::run_base(call.context.workspace, *request);
  if (!answer) return answer.error();
  Map value{{"base", answer->file},
            {"view", answer->view},
            {"type", answer->type},
            {"total", answer->total},
            {"returned", static_cast<std::int64_t>(answer->rows.size())}};
  if (answer->limit) value.push_back({"limit", *answer->limit});
  value.push_back({"columns", Value::list_of(answer->columns)});
  if (!answer->display_names.empty()) value.push_back({"display_names", answer->display_names});
  List rows;
  rows.reserve(answer->rows.size());
  for (bases::BaseRow& row : answer->rows)
    rows.push_back(Map{{"path", std::move(row.path)}, {"fields", std::move(row.fields)}});
  value.push_back({"rows", std::move(rows)});
  if (!answer->groups.empty()) value.push_back({"groups", to_list(answer->groups)});
  if (!answer->summaries.empty()) value.push_back({"summaries", to_list(answer->summaries)});
  if (answer->unreadable > 0) value.push_back({"unreadable", answer->unreadable});
  if (!answer->issues.empty()) value.push_back({"issues", to_value(answer->issues)});
  return Value(std::move(value));
}

}  // namespace

const Operation& base_of_workspace() {
  static const Operation operation{
      .name = "base",
      .command = "base",
      .title = "Show a view of an Obsidian .base file",
      .description =
          "Runs a .base file over all files of the workspace: filters, formulas, sort, groups and "
          "summaries of one view. FILE is a path from the root; FILE#View names the view too.",
      .effect = Effect::reads,
      .arguments =
          {{.name = "file",
            .required = Doors::all,
            .positional = true,
            .flag_help = "the .base file, from the root",
            .metavar = "FILE"},
           {.name = "view",
            .flag_help = "the view to show; without it the first",
            .metavar = "NAME"},
           {.name = "as",
            .flag_help = "the note that `this` is; without it the base itself",
            .metavar = "NOTE"},
           {.name = "now",
            .flag_help =
                "the time that now() and today() tell; without it the time of the question",
            .metavar = "TIME"},
           {.name = "limit",
            .kind = ArgumentKind::integer,
            .flag_help = "at most this many rows; without it as the view says"}},
      .result = {{"total", ResultKind::integer},
                 {"returned", ResultKind::integer},
                 {"columns", ResultKind::texts},
                 {"rows", ResultKind::maps},
                 {"groups", ResultKind::maps, Presence::sometimes},
                 {"summaries", ResultKind::maps, Presence::sometimes}},
      .shown = "rows",
      .also_shown = {"summaries"},
      .run = run_base_command};
  return operation;
}

}  // namespace notesdb
