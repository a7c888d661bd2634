#include "operations/tool_docs.h"

#include <string_view>

#include "json/json_value.h"

namespace notesdb {

namespace {

std::string_view kind_text(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::integer: return "whole number";
    case ArgumentKind::boolean: return "true or false";
    case ArgumentKind::names: return "list of text";
    case ArgumentKind::filters: return "filters";
    case ArgumentKind::sorts: return "list of {field, direction}";
    case ArgumentKind::fields: return "map of column id to value";
    case ArgumentKind::columns: return "list of columns";
    case ArgumentKind::metrics: return "list of {function, field, as}";
    case ArgumentKind::changes:
    case ArgumentKind::records: return "list of maps";
    case ArgumentKind::settings: return "map";
    default: return "text";
  }
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words)
    out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

constexpr std::string_view prefix = "db_";

std::string remarks(const Argument& argument) {
  std::vector<std::string> parts;
  if (holds_for(argument.required, Door::tools)) parts.emplace_back("required");
  if (!argument.description.empty()) parts.push_back(argument.description);
  if (!argument.choices.empty()) parts.push_back("one of " + joined(argument.choices, ", "));
  if (!argument.fallback.is_null()) parts.push_back("default " + to_json(argument.fallback));
  return joined(parts, "; ");
}

std::string arguments_table(const Operation& operation) {
  std::string out = "| argument | kind | |\n|---|---|---|\n";
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::tools)) continue;
    out += "| `" + argument.name + "` | " + std::string(kind_text(argument.kind)) + " | " +
           remarks(argument) + " |\n";
  }
  return out;
}

std::string result_line(const Operation& operation) {
  std::vector<std::string> members;
  for (const ResultMember& member : operation.result)
    members.push_back("`" + member.name + (member.presence == Presence::always ? "`" : "`?"));
  return "Answers with " + joined(members, ", ") + ".\n";
}

}  // namespace

std::string tools_markdown(const std::vector<const Operation*>& operations) {
  std::string out =
      "# Tools\n\nWritten by `notesdb tools --markdown`; a test compares the two. The exact "
      "schemas "
      "are in\n[`schema/tools-list.json`](../schema/tools-list.json), which is what an agent "
      "sees.\n\n"
      "Lists and maps may also arrive as JSON text; a single thing stands for a list of one; null "
      "and empty\ntext mean absent. Errors list every problem and the valid values.\n";
  for (const Operation* operation : operations) {
    out += "\n## " + operation->name + "\n\n" + operation->description + "\n\n";
    if (!operation->arguments.empty()) out += arguments_table(*operation) + "\n";
    out += result_line(*operation);
    // That of a tool without one of its own goes by its name: check has flags that no tool has.
    const std::string& own = operation->command;
    const std::string command = own.empty() ? operation->name.substr(prefix.size()) : own;
    out += "\nThe command: `notesdb " + command + "`.\n";
  }
  return out;
}

}  // namespace notesdb
