#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "git/row_merge.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"
#include "operations/json_schema.h"
#include "operations/tool_docs.h"

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

namespace {

Value definitions(const std::vector<const Operation*>& operations) {
  List tools;
  for (const Operation* operation : operations)
    tools.push_back(tool_definition(*operation));
  return Map{{"tools", std::move(tools)}};
}

// What a person wants to see at a glance.
Value overview(const std::vector<const Operation*>& operations) {
  List tools;
  for (const Operation* operation : operations) {
    tools.push_back(
        Map{{"id", operation->name}, {"command", operation->command}, {"title", operation->title}});
  }
  return Map{{"tools", std::move(tools)}};
}

Exit run_tools(const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  std::vector<const Operation*> operations = offered_operations(session.words.has("read-only"));
  if (session.words.has("markdown")) {
    session.console.out(tools_markdown(operations));
    return Exit::done;
  }
  if (std::optional<std::string> name = session.words.last("TOOL")) {
    const Operation* operation = find_operation(*name);
    if (operation == nullptr) {
      Error error = unknown_name(ErrorCode::invalid_argument, "tool", *name, names_of(operations));
      return report(session, error, Exit::wrong_usage);
    }
    session.console.out(to_indented_json(tool_definition(*operation)) + "\n");
    return Exit::done;
  }
  if (*format == OutputFormat::json) {
    session.console.out(to_indented_json(definitions(operations)) + "\n");
    return Exit::done;
  }
  Result<void> shown = show_records(session.console, *format, overview(operations), "tools");
  return shown ? Exit::done : report(session, shown.error(), Exit::wrong_usage);
}

}  // namespace

Command tools_command() {
  return {.name = "tools",
          .summary = "List the tools that agents see",
          .positionals = {{.name = "TOOL", .required = false}},
          .flags = {{"markdown", "", "all of it, as docs/tools.md"}},
          .notes = {"With --json the definitions as tools/list gives them; of one TOOL always."},
          .run = run_tools};
}

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Exit run_merge(const Session& session) {
  MergeFiles files{session.words.last("BASE").value_or(""),
                   session.words.last("OURS").value_or(""),
                   session.words.last("THEIRS").value_or(""),
                   session.words.last("path").value_or("")};
  if (files.path.empty()) files.path = files.ours;
  Result<MergeOutcome> outcome = merge_files(files);
  if (!outcome) return report(session, outcome.error(), Exit::failed);
  if (!outcome->by_lines.empty())
    session.console.err(files.path + ": merged by lines, since " + outcome->by_lines);
  if (!outcome->fields.empty())
    session.console.err(files.path + ": in conflict: " + joined(outcome->fields));
  return outcome->clean ? Exit::done : Exit::failed;
}

}  // namespace

Command merge_file_command() {
  return {.name = "merge-file",
          .summary = "Merge three versions of a row by field, as git asks for it",
          .positionals = {{.name = "BASE"}, {.name = "OURS"}, {.name = "THEIRS"}},
          .flags = {{"path", "PATH", "the file's name in the repository"}},
          .notes = {"The outcome replaces OURS. Ends with 1 where something is left between "
                    "conflict markers. `notesdb git setup` has git call it."},
          .run = run_merge};
}

}  // namespace notesdb::cli
