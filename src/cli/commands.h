// Commands: every command of the program, those of the catalog first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace notesdb::cli {

class Commands;

// The commands that are about the program itself, each in the file of its name; those that other
// programs call (call, tools, merge-file) in program_commands.cpp.
Command call_command();
Command check_command();
Command completion_command();
Command config_command();
Command edit_command();
Command export_command();
Command import_command();
Command infer_command();
Command adopt_command();
Command help_command(const Commands& commands);
Command merge_file_command();
Command tools_command();
Command version_command();
Command watch_command();

// The name that another one stands for: "ls" -> "list". A name itself stays.
std::string_view command_meant(std::string_view name);
// Other names of a command.
std::vector<std::string> aliases_of(std::string_view command);

// A command from outside: a server, which this module does not know.
struct OutsideCommand {
  std::string_view name;
  std::function<Command()> make;
};

// All commands, each made when it is asked for: to describe every flag of every command takes
// longer than to start the program.
class Commands {
 public:
  explicit Commands(std::vector<OutsideCommand> doors) : doors_(std::move(doors)) {}
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  std::vector<Command> all() const;
  // Empty if there is none of that name.
  std::optional<Command> find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<OutsideCommand> doors_;
};

// Help, as commands say it of themselves: all of them, one a line.
std::string help_of(const std::vector<Command>& commands);
std::string help_of(const Command& command);

}  // namespace notesdb::cli
