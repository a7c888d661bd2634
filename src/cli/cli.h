// Cli: the program as a person or a script runs it.
//
//   notesdb query stories --where 'status = open' --sort due
//
// Data goes to standard output, everything else to standard error. The exit status is 0 when the
// work was done (also when nothing was found), 1 when it was refused or failed, 2 for wrong usage.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace notesdb::cli {

// `words` without the program's name. `interfaces` are commands from outside: the servers.
int run(const std::vector<std::string>& words, std::vector<OutsideCommand> doors);

}  // namespace notesdb::cli
