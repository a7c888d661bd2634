#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/operation_command.h"
#include "operations/catalog.h"

namespace notesdb::cli {

namespace {

struct OwnCommand {
  std::string_view name;
  Command (*make)(const Commands& commands);
};

// The commands that are no operations, in the order of the help. Making one costs more than all the
// names, so only those that are asked for are made.
constexpr std::array<OwnCommand, 13> own_commands{{
    {"check", [](const Commands&) { return check_command(); }},
    {"merge-file", [](const Commands&) { return merge_file_command(); }},
    {"infer", [](const Commands&) { return infer_command(); }},
    {"export", [](const Commands&) { return export_command(); }},
    {"import", [](const Commands&) { return import_command(); }},
    {"edit", [](const Commands&) { return edit_command(); }},
    {"watch", [](const Commands&) { return watch_command(); }},
    {"tools", [](const Commands&) { return tools_command(); }},
    {"call", [](const Commands&) { return call_command(); }},
    {"config", [](const Commands&) { return config_command(); }},
    {"completion", [](const Commands&) { return completion_command(); }},
    {"help", help_command},
    {"version", [](const Commands&) { return version_command(); }},
}};

}  // namespace

namespace {

struct Alias {
  std::string_view name;
  std::string_view command;
};
constexpr std::array<Alias, 7> aliases{{{"ls", "list"},
                                        {"rm", "delete"},
                                        {"mv", "rename"},
                                        {"new", "insert"},
                                        {"set", "update"},
                                        {"show", "get"},
                                        {"lint", "check"}}};

}  // namespace

std::string_view command_meant(std::string_view name) {
  const auto* alias = std::ranges::find(aliases, name, &Alias::name);
  return alias == aliases.end() ? name : alias->command;
}

std::vector<std::string> aliases_of(std::string_view command) {
  std::vector<std::string> names;
  for (const Alias& alias : aliases)
    if (alias.command == command) names.emplace_back(alias.name);
  return names;
}

std::vector<Command> Commands::all() const {
  std::vector<Command> all;
  for (const auto* operations : {&catalog(), &command_catalog()}) {
    for (const Operation* operation : *operations)
      all.push_back(command_of(*operation));
  }
  for (const OutsideCommand& door : doors_)
    all.push_back(door.make());
  for (const OwnCommand& own : own_commands)
    all.push_back(own.make(*this));
  return all;
}

std::optional<Command> Commands::find(std::string_view given) const {
  const std::string_view name = command_meant(given);
  const auto door = std::ranges::find(doors_, name, &OutsideCommand::name);
  if (door != doors_.end()) return door->make();
  const auto own = std::ranges::find(own_commands, name, &OwnCommand::name);
  if (own != own_commands.end()) return own->make(*this);
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
