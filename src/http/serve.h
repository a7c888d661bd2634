// serve: tools, changes, a page and an MCP server over HTTP until the first SIGINT or SIGTERM.
//
//   GET /         the page            POST /call/TOOL   what the tool answers
//   POST /mcp     the protocol        GET /events       what changes, as server-sent events
//   GET /health   that it is there    GET /licenses     of what the page is made of
//
// It listens to this machine alone unless told otherwise, and then only with a token and for the
// names that it was given. Tools and changes come from outside; without them they are not found.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "http/site.h"
#include "mcp/server.h"

namespace notesdb::http {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8420;  // 0: any that is free
  std::string token_file;
  std::vector<std::string> names;  // of this server beside those of loopback
  // The port alone on standard output, for programs that start this one.
  bool print_port = false;
  Assets assets;
};

// What is served beside the protocol.
struct Services {
  // What a tool answers to arguments that are JSON text. `gone`: whether the client has left.
  std::function<Answer(
      const std::string& tool, const std::string& arguments, const std::function<bool()>& gone)>
      call;
  // Writes changes until the client has left or `stop_events` was called.
  std::function<void(mcp::EventSink& sink)> events;
  std::function<void()> stop_events;
  // Told where it listens, once it does.
  std::function<void(const std::string& url)> listening;
};

// Leaves SIGINT and SIGTERM to serve(), and has the allocator keep little of what many connections
// need for a moment. serve() does so itself; a program that has threads before calls it before them,
// since any thread that does not block a signal may get it.
void prepare_to_serve();

// The exit status: 0 after a signal, 1 if it cannot serve (said on standard error). Threads may
// still be running then if a call did not end: the program should end at once (std::_Exit).
int serve(mcp::Server& server, const ServeOptions& options, const Services& services = {});

}  // namespace notesdb::http
