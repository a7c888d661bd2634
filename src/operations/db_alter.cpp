#include "alter/alter.h"
#include "core/text.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/undecoded.h"

namespace notesdb {

namespace {

OnInvalid parse_on_invalid(const std::string& word) {
  if (word == "keep") return OnInvalid::keep;
  return word == "clear" ? OnInvalid::clear : OnInvalid::refuse;
}

Value result_of(const Call& call, const std::string& database_id, AlterAnswer answer) {
  const bool is_dry = call.write_mode() == WriteMode::dry_run;
  cut_diff(answer, call.context.max_bytes());
  Value altered = Map{{"database_id", database_id}};
  // A plan's etag is that of no file: the next call still needs the one there is.
  if (!is_dry) altered.set("etag", to_text(answer.etag));
  altered.set("rows", answer.rows);
  altered.set("schemas", Value::list_of(answer.schemas));
  Value value = Map{{"altered", std::move(altered)}};
  const auto most = call.context.row_cap();
  const auto all = static_cast<std::int64_t>(answer.invalid_values.size());
  if (most && all > *most) {
    answer.warnings.push_back("of " + std::to_string(all) + " invalid values the first " +
                              std::to_string(*most) + " are shown");
    answer.invalid_values.resize(static_cast<std::size_t>(*most));
  }
  if (!answer.invalid_values.empty()) value.set("invalid_values", to_value(answer.invalid_values));
  return with_receipt(std::move(value), answer);
}

Result<Value> run_alter(const Call& call) {
  auto changes = parse_schema_changes(call.arguments.value("changes").list());
  if (!changes) return changes.error();
  AlterRequest request;
  request.database_id = call.database->id();
  request.etag = call.etag();
  request.changes = *std::move(changes);
  request.on_invalid = parse_on_invalid(call.arguments.text("on_invalid"));
  request.expect_count = call.arguments.integer("expect_count");
  auto answer = alter(call.context.workspace, request, call.write_mode());
  if (!answer) return answer.error();
  return result_of(call, request.database_id, *std::move(answer));
}

std::string text_in(const Value& change, std::string_view part) {
  const Value* said = change.find(part);
  return said != nullptr && said->is_text() ? escape_controls(said->text()) : "";
}

// What a change takes from the rows for good, as one would say it; empty if nothing.
std::string loss_of(const Value& change, bool clears) {
  const std::string action = text_in(change, "action");
  const std::string column = "'" + text_in(change, "column") + "'";
  if (action == "drop_column") {
    const Value* keeps = change.find("keep_values");
    const bool is_kept = keeps != nullptr && (*keeps == Value(true) || *keeps == Value("true"));
    return is_kept ? "" : "the column " + column + " with its values in all rows";
  }
  if (!clears) return "";
  if (action == "change_type" || action == "set_column" || action == "add_column")
    return "the values of " + column + " that do not fit";
  if (action == "remove_option" && text_in(change, "to").empty())
    return "the option '" + text_in(change, "option") + "' of " + column + " from its rows";
  return "";
}

// What cannot be seen any more when the answer is there is worth a question.
Result<std::optional<Destruction>> destroys(const Value& arguments,
                                            Workspace& /*workspace*/,
                                            const Rehearsal& rehearsal) {
  std::optional<Destruction> none;
  if (is_dry_run(arguments)) return none;
  const bool clears = text_in(arguments, "on_invalid") == "clear";
  std::string losses;
  for (const Value& change : list_of(arguments, "changes")) {
    const std::string loss = loss_of(change, clears);
    if (!loss.empty()) losses += (losses.empty() ? "" : " and ") + loss;
  }
  if (losses.empty()) return none;
  const Result<Value> planned = rehearsal();
  if (!planned) return planned.error();
  const std::int64_t rows = planned->find("altered")->find("rows")->integer();
  return std::optional(Destruction{"In '" + text_in(arguments, "database_id") + "' this removes " +
                                       losses + " and changes " + std::to_string(rows) +
                                       (rows == 1 ? " row." : " rows."),
                                   rows});
}

Argument schema_etag_argument() {
  Argument etag = etag_argument(Doors::tools);
  etag.if_missing = "db_get_schema gives it with the columns";
  return etag;
}

}  // namespace

const Operation& db_alter() {
  static const Operation operation{
      .name = "db_alter",
      .command = "alter",
      .title = "Change a schema",
      .description =
          "Changes columns and options in schema, rows, views, templates, rollups, formulas. "
          "changes: {action, column, ...} with add_column (type, after, fill), rename_column (to), "
          "drop_column, change_type (type), set_column (required, ...), move_column (after), "
          "add_option (option), rename_option and remove_option (option, to); add_view, set_view "
          "and "
          "drop_view (view, type, columns, group_by, filters, sorts); describe (name).",
      .effect = Effect::updates,
      .arguments = {database_argument(),
                    schema_etag_argument(),
                    {.name = "changes",
                     .kind = ArgumentKind::changes,
                     .required = Doors::all,
                     .if_missing = "such as {action: rename_column, column: estimate, to: points}"},
                    {.name = "on_invalid",
                     .kind = ArgumentKind::choice,
                     .choices = {"refuse", "keep", "clear"},
                     .flag_help = "what to do with values that cannot be converted; default "
                                  "refuse"},
                    {.name = "expect_count",
                     .kind = ArgumentKind::integer,
                     .flag_help = "fail unless exactly N rows would change"},
                    dry_run_argument()},
      .result = {{"altered", ResultKind::map},
                 {"invalid_values", ResultKind::maps, Presence::sometimes},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "altered",
      .run = run_alter,
      .destroys = destroys};
  return operation;
}

}  // namespace notesdb
