#include "cli/commands.h"

#include <algorithm>
#include <iterator>

#include "cli/operation_command.h"
#include "operations/catalog.h"

namespace notesdb::cli {

Commands::Commands(std::vector<Command> doors) {
  for (const auto* operations : {&catalog(), &command_catalog()}) {
    for (const Operation* operation : *operations)
      all_.push_back(command_of(*operation));
  }
  std::ranges::move(doors, std::back_inserter(all_));
  all_.push_back(check_command());
  all_.push_back(merge_file_command());
  all_.push_back(infer_command());
  all_.push_back(export_command());
  all_.push_back(import_command());
  all_.push_back(tools_command());
  all_.push_back(call_command());
  all_.push_back(config_command());
  all_.push_back(completion_command(all_));
  all_.push_back(help_command(all_));
  all_.push_back(version_command());
}

const Command* Commands::find(std::string_view name) const {
  auto found = std::ranges::find(all_, name, &Command::name);
  return found == all_.end() ? nullptr : &*found;
}

std::vector<std::string> Commands::names() const {
  std::vector<std::string> names;
  for (const Command& command : all_)
    names.push_back(command.name);
  return names;
}

}  // namespace notesdb::cli
