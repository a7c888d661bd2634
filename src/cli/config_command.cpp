#include "cli/commands.h"
#include "cli/output.h"
#include "database/commit.h"
#include "database/link_rules.h"
#include "database/settings.h"
#include "operations/answer.h"

namespace notesdb::cli {

namespace {

constexpr std::string_view settings_file = "notesdb.yaml";

// With the rules of links that markers tell, each with its marker.
Value lines_of(const Settings& settings, Workspace* workspace) {
  List lines;
  for (const SettingLine& line : describe(settings)) {
    lines.push_back(Map{{"setting", line.name}, {"value", line.value}, {"source", line.source}});
  }
  if (workspace == nullptr) return Map{{"settings", std::move(lines)}};
  for (const auto& [folder, rules] :
       find_all_link_rules(workspace->files(), link_settings(settings)))
    lines.push_back(Map{{"setting", "links in " + folder},
                        {"value", std::string(name_of(rules.flavour))},
                        {"source", rules.why}});
  return Map{{"settings", std::move(lines)}};
}

Exit show_settings(const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  Result<Settings> settings = session.settings();
  if (!settings) return report(session, settings.error(), Exit::failed);
  Result<std::shared_ptr<Workspace>> workspace = session.workspace();
  const Value lines = lines_of(*settings, workspace ? workspace->get() : nullptr);
  Result<void> shown = show_records(session.console, *format, lines, "settings");
  return shown ? Exit::done : report(session, shown.error(), Exit::wrong_usage);
}

Result<Receipt> write_setting(Workspace& workspace,
                              const std::string& key,
                              const std::string& value) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  FileSystem& files = workspace.files();
  const std::string path(settings_file);
  const auto make = [&](Stage stage) -> Result<Plan> {
    const auto found = files.stat(path);
    if (!found) return found.error();
    const bool is_new = found->kind == FileKind::missing;
    Result<FileBytes> before = is_new ? Result<FileBytes>(FileBytes{}) : files.read(path);
    if (!before) return before.error();
    auto after = with_setting(before->bytes, key, value);
    if (!after) return after.error();
    Plan plan(stage);
    plan.what = "config set " + key;
    if (is_new) {
      plan.create(path, *std::move(after));
    } else if (*after != before->bytes) {
      plan.replace(path, before->etag, before->bytes, *std::move(after));
    }
    return plan;
  };
  Receipt receipt;
  if (auto written = commit(files, WriteMode::write, make, receipt); !written)
    return written.error();
  return receipt;
}

Exit set_setting(const Session& session) {
  const std::string key = session.words.last("KEY").value_or("");
  const auto value = session.words.last("VALUE");
  if (key.empty() || !value) {
    Error error{ErrorCode::invalid_argument,
                "missing argument; usage: notesdb config set KEY VALUE",
                Map{}};
    return report(session, error, Exit::wrong_usage);
  }
  Result<std::shared_ptr<Workspace>> workspace = session.workspace();
  if (!workspace) return report(session, workspace.error(), Exit::failed);
  Result<Receipt> written = write_setting(**workspace, key, *value);
  if (!written) return report(session, written.error(), Exit::failed);
  tell_warnings(session.console, with_receipt(Map{}, *written));
  session.console.err("set " + key + " to " + *value + " in notesdb.yaml");
  return Exit::done;
}

Exit run_config(const Session& session) {
  const std::string action = session.words.last("ACTION").value_or("show");
  if (action == "set") return set_setting(session);
  if (action == "show" && !session.words.has("KEY")) return show_settings(session);
  Error error =
      action == "show"
          ? Error{ErrorCode::invalid_argument,
                  "unexpected argument '" + *session.words.last("KEY") + "'",
                  Map{}}
          : unknown_name(ErrorCode::invalid_argument, "config action", action, {"show", "set"});
  return report(session, error, Exit::wrong_usage);
}

}  // namespace

Command config_command() {
  return {.name = "config",
          .summary = "Show every setting, its value and where it came from, or set one",
          .positionals = {{.name = "ACTION", .required = false, .choices = {"show", "set"}},
                          {.name = "KEY", .required = false},
                          {.name = "VALUE", .required = false}},
          .notes = {"`notesdb config` and `notesdb config show` list the settings; `notesdb config "
                    "set KEY VALUE` writes one to notesdb.yaml at the root of the workspace."},
          .run = run_config};
}

}  // namespace notesdb::cli
