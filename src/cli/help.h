// Help: what a command says of itself, for a terminal, for docs/commands.md.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace notesdb::cli {

// All commands, one a line.
std::string help_of(const std::vector<Command>& commands);
std::string help_of(const Command& command);

// docs/commands.md as a whole.
std::string commands_markdown(const std::vector<Command>& commands);

}  // namespace notesdb::cli
