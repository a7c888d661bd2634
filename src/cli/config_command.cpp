#include "cli/commands.h"
#include "cli/output.h"

namespace notesdb::cli {

namespace {

Value lines_of(const Settings& settings) {
  List lines;
  for (const SettingLine& line : describe(settings)) {
    lines.push_back(Map{{"setting", line.name}, {"value", line.value}, {"source", line.source}});
  }
  return Map{{"settings", std::move(lines)}};
}

Exit run_config(const Session& session) {
  std::string asked = session.words.last("show").value_or("");
  if (asked != "show") {
    Error error = unknown_name(ErrorCode::invalid_argument, "word", asked, {"show"});
    return report(session, error, Exit::wrong_usage);
  }
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  Result<Settings> settings = session.settings();
  if (!settings) return report(session, settings.error(), Exit::failed);
  Result<void> shown = show_records(session.console, *format, lines_of(*settings), "settings");
  return shown ? Exit::done : report(session, shown.error(), Exit::wrong_usage);
}

}  // namespace

Command config_command() {
  return {.name = "config",
          .summary = "Show every setting, its value and where it came from",
          .positionals = {{.name = "show", .choices = {"show"}}},
          .run = run_config};
}

}  // namespace notesdb::cli
