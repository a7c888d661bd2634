#include "cli/commands.h"
#include "cli/file_text.h"
#include "cli/output.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb::cli {

namespace {

Result<Value> read_arguments(const Session& session) {
  std::string text = session.words.last("JSON").value_or("{}");
  if (text == "-") {
    Result<std::string> input = read_text(text);
    if (!input) return input.error();
    text = *std::move(input);
  }
  return parse_json(text);
}

// The call as a tool would get it, but for the caps, which are for those who pay for every byte.
Result<Value> call(const Operation& operation, const Session& session) {
  Result<Value> arguments = read_arguments(session);
  if (!arguments) return arguments;
  Result<Settings> settings = session.settings();
  if (!settings) return settings.error();
  Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
  if (!workspace) return workspace.error();
  return dispatch(
      operation, *arguments, {.workspace = **workspace, .door = Door::tools, .caps = Caps::none});
}

Exit run_call(const Session& session) {
  std::string name = session.words.last("TOOL").value_or("");
  const Operation* operation = find_operation(name);
  if (operation == nullptr) {
    Error error = unknown_name(ErrorCode::invalid_argument, "tool", name, names_of(catalog()));
    return report(session, error, Exit::wrong_usage);
  }
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  if (!session.words.has("output")) format = OutputFormat::json;
  Result<Value> result = call(*operation, session);
  if (!result) return report(session, result.error(), Exit::failed);
  Result<void> shown = show(session.console, *format, *operation, *result);
  return shown ? Exit::done : report(session, shown.error(), Exit::wrong_usage);
}

}  // namespace

Command call_command() {
  return {.name = "call",
          .summary = "Call a tool as an agent would",
          .positionals = {{.name = "TOOL"}, {.name = "JSON", .required = false}},
          .notes = {"JSON holds the arguments; - reads them from standard input. Answers are not "
                    "capped."},
          .run = run_call};
}

}  // namespace notesdb::cli
