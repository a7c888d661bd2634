#include "alter/alter.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

// What an answer that is paid for by the byte shows of a long diff: whole files, as they come.
constexpr std::size_t most_bytes_of_diff = std::size_t{32} << 10;

std::string cut_diff(std::string diff, AlterAnswer& answer) {
  if (diff.size() <= most_bytes_of_diff) return diff;
  const std::size_t end = diff.rfind("\n--- a/", most_bytes_of_diff);
  answer.notes.emplace_back("the diff shows the first files only");
  return diff.substr(0, end == std::string::npos ? most_bytes_of_diff : end + 1);
}

Misfits parse_misfits(const std::string& word) {
  if (word == "keep") return Misfits::keep;
  return word == "clear" ? Misfits::clear : Misfits::refuse;
}

Value result_of(const Call& call, const std::string& database_id, AlterAnswer answer) {
  const bool is_dry = call.write_mode() == WriteMode::dry_run;
  if (call.context.caps == Caps::apply) answer.diff = cut_diff(std::move(answer.diff), answer);
  Value altered = Map{{"database_id", database_id}};
  // A plan's etag is that of no file: the next call still needs the one there is.
  if (!is_dry) altered.set("etag", to_text(answer.etag));
  altered.set("rows", answer.rows);
  altered.set("schemas", Value::list_of(answer.schemas));
  Value value = Map{{"altered", std::move(altered)}};
  const auto most = call.context.most_rows();
  const auto all = static_cast<std::int64_t>(answer.misfits.size());
  if (most && all > *most) {
    answer.notes.push_back("of " + std::to_string(all) + " misfits the first " +
                           std::to_string(*most) + " are shown");
    answer.misfits.resize(static_cast<std::size_t>(*most));
  }
  if (!answer.misfits.empty()) value.set("misfits", to_value(answer.misfits));
  if (!answer.notes.empty()) value.set("notes", Value::list_of(answer.notes));
  if (!answer.change.empty()) value.set("change", answer.change);
  if (!answer.diff.empty()) value.set("diff", answer.diff);
  if (!answer.durable) value.set("durable", false);
  return value;
}

Result<Value> run_alter(const Call& call) {
  auto changes = parse_schema_changes(call.arguments.value("changes").list());
  if (!changes) return changes.error();
  AlterRequest request;
  request.database_id = call.database->id();
  request.etag = call.etag();
  request.changes = *std::move(changes);
  request.misfits = parse_misfits(call.arguments.text("on_misfit"));
  auto answer = alter(call.context.workspace, request, call.write_mode());
  if (!answer) return answer.error();
  return result_of(call, request.database_id, *std::move(answer));
}

}  // namespace

const Operation& db_alter() {
  static const Operation operation{
      .name = "db_alter",
      .command = "alter",
      .title = "Change a schema",
      .description =
          "Changes columns and options in schema, rows, views, templates and rollups at once. "
          "changes: {action, column, ...} with add_column (type, after, fill), rename_column (to), "
          "drop_column, change_type (type), set_column (required, ...), move_column (after), "
          "add_option (option), rename_option and remove_option (option, to); describe (name).",
      .effect = Effect::updates,
      .arguments = {database_argument(),
                    etag_argument(Doors::tools),
                    {.name = "changes",
                     .kind = ArgumentKind::changes,
                     .required = Doors::all,
                     .if_missing = "such as {action: rename_column, column: estimate, to: points}"},
                    {.name = "on_misfit",
                     .kind = ArgumentKind::choice,
                     .choices = {"refuse", "keep", "clear"}},
                    dry_run_argument()},
      .result = {{"altered", ResultKind::map},
                 {"misfits", ResultKind::maps, Presence::sometimes},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "altered",
      .run = run_alter};
  return operation;
}

}  // namespace notesdb
