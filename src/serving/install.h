// Install: writes notesdb into the settings of a host, for the workspace at hand.
#pragma once

#include "cli/command.h"

namespace notesdb {

// `notesdb mcp install HOST [--print]`: keeps what is in the host's file, leaves a copy of it as it
// was beside it (.backup), and says what it did. With --print it only shows what it would write.
cli::Exit install(const cli::Session& session, const std::string& host_id);

}  // namespace notesdb
