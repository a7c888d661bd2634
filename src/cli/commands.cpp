#include "cli/commands.h"

#include <algorithm>
#include <array>

#include "cli/operation_command.h"
#include "operations/catalog.h"

namespace notesdb::cli {

namespace {

using Maker = Command (*)(const Commands& commands);

// The commands that are no operations, in the order of the help.
constexpr std::array<Maker, 11> own_commands{
    [](const Commands&) { return check_command(); },
    [](const Commands&) { return merge_file_command(); },
    [](const Commands&) { return infer_command(); },
    [](const Commands&) { return export_command(); },
    [](const Commands&) { return import_command(); },
    [](const Commands&) { return tools_command(); },
    [](const Commands&) { return call_command(); },
    [](const Commands&) { return config_command(); },
    completion_command,
    help_command,
    [](const Commands&) { return version_command(); },
};

}  // namespace

std::vector<Command> Commands::all() const {
  std::vector<Command> all;
  for (const auto* operations : {&catalog(), &command_catalog()}) {
    for (const Operation* operation : *operations)
      all.push_back(command_of(*operation));
  }
  all.insert(all.end(), doors_.begin(), doors_.end());
  for (Maker make : own_commands)
    all.push_back(make(*this));
  return all;
}

std::optional<Command> Commands::find(std::string_view name) const {
  const auto door = std::ranges::find(doors_, name, &Command::name);
  if (door != doors_.end()) return *door;
  for (Maker make : own_commands) {
    if (Command command = make(*this); command.name == name) return command;
  }
  const Operation* operation = find_command(name);
  return operation == nullptr ? std::nullopt : std::optional(command_of(*operation));
}

std::vector<std::string> Commands::names() const {
  std::vector<std::string> names;
  for (const Command& command : all())
    names.push_back(command.name);
  return names;
}

}  // namespace notesdb::cli
