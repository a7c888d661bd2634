// serve: an MCP server over HTTP until the first SIGINT or SIGTERM.
//
//   POST /mcp     the protocol        GET /health   that it is there        GET /   where to go
//
// It listens to this machine alone unless told otherwise, and then only with a token.
#pragma once

#include <string>

#include "mcp/server.h"

namespace notesdb::http {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8420;  // 0: any that is free
  std::string token_file;
  // The port alone on standard output, for programs that start this one.
  bool print_port = false;
};

// The exit status: 0 after a signal, 1 if it cannot serve (said on standard error). Threads may
// still be at work then if a call did not end: the program should end at once (std::_Exit).
int serve(mcp::Server& server, const ServeOptions& options);

}  // namespace notesdb::http
