// Install: notesdb in the settings of the programs that talk to MCP servers.
//
//   notesdb mcp install HOST [--name N] [--scope user|project] [--print]
//   notesdb mcp install --list
//   notesdb mcp uninstall HOST [--name N] [--scope user|project] [--print]
//
// What is in a host's file stays as it is written; a copy of it as it was lies beside it (.backup).
// A file that already says what is wanted is left untouched. --print only shows what would be
// written, and to which file.
#pragma once

#include "cli/command.h"

namespace notesdb {

cli::Exit install(const cli::Session& session);
cli::Exit uninstall(const cli::Session& session);

}  // namespace notesdb
