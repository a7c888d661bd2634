// Commands: every command of the program, those of the catalog first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace notesdb::cli {

// The commands that are about the program itself, each in the file of its name.
Command call_command();
Command check_command();
Command completion_command(const std::vector<Command>& all);
Command config_command();
Command export_command();
Command import_command();
Command infer_command();
Command help_command(const std::vector<Command>& all);
Command merge_file_command();
Command tools_command();
Command version_command();

class Commands {
 public:
  // `doors` are commands from outside: the servers, which this room does not know.
  explicit Commands(std::vector<Command> doors);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  const std::vector<Command>& all() const { return all_; }
  // A null pointer if there is none.
  const Command* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<Command> all_;
};

}  // namespace notesdb::cli
