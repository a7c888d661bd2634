#include "cli/commands.h"
#include "cli/output.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/json_schema.h"
#include "operations/tool_docs.h"

namespace notesdb::cli {

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

}  // namespace notesdb::cli
