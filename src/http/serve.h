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

// Leaves SIGINT and SIGTERM to serve(), and has the allocator keep little of what many connections
// need for a moment. serve() does so itself; a program that has threads before calls it before them,
// since any thread that does not block a signal may get it.
void prepare_to_serve();

// The exit status: 0 after a signal, 1 if it cannot serve (said on standard error). Threads may
// still be running then if a call did not end: the program should end at once (std::_Exit).
int serve(mcp::Server& server, const ServeOptions& options);

}  // namespace notesdb::http
