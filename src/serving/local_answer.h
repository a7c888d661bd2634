// Local answer: a command's answer from the server of its workspace, if one runs.
//
// This is all that such a command does, so it costs little more than starting a process. Nothing
// has been printed when it comes back empty: no server, one of another user or release, one that
// says no, takes too long or goes away. Then the command asks the files, and says the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "serving/local_message.h"

namespace notesdb {

std::optional<LocalReply> ask_server(const std::vector<std::string>& words,
                                     const cli::CommandEnvironment& around,
                                     cli::Reader reader);

// The same for this process, printed; its exit status.
std::optional<int> answer_from_server(const std::vector<std::string>& words);

}  // namespace notesdb
