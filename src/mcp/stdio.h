// The stdio interface: one message a line on `in`, one answer a line on `out`, and nothing else there.
//
// Threads take turns at reading: the one that has read a line leaves the reading to the next and
// runs the call itself, so that no call waits for another and none changes threads on its way.
#pragma once

#include "mcp/server.h"

namespace notesdb::mcp {

// Serves until `in` ends; calls under way then get two seconds to finish. False if some have not:
// their threads still use `server`, so that the program should end at once (std::_Exit).
// A client that goes away is no signal: SIGPIPE is ignored from here on.
bool serve_stdio(Server& server, int in, int out);

}  // namespace notesdb::mcp
