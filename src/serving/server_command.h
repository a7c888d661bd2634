// Server command: what the commands that serve have in common: their flags, and the server that
// they are about to serve.
#pragma once

#include <memory>

#include "cli/command.h"
#include "database/workspace.h"
#include "mcp/server.h"
#include "serving/command_server.h"
#include "serving/mcp_server.h"

namespace notesdb {

// A workspace, its server, and the interface for commands of the same user. Calls that are still running
// when a interface closes use them, so a program that cannot wait closes the interface and ends at once.
struct OpenServer {
  std::shared_ptr<Workspace> workspace;
  std::unique_ptr<mcp::Server> server;
  std::unique_ptr<CommandServer> commands;
  ServingOptions options;  // that the server was made with
};

// --tools, --exclude-tools, --plain-errors and --unconfined.
std::vector<cli::Flag> server_flags();

// Opens what the session names, confined to it, and hands it to `serve`; says why where that cannot
// be. `port`: what it is to listen on for HTTP, if anything.
cli::Exit with_server(const cli::Session& session,
                      std::optional<std::uint16_t> port,
                      cli::Exit (*serve)(const cli::Session&, OpenServer&));

// notesdb mcp: over standard input and output.
cli::Command stdio_command();

// notesdb serve: over HTTP. `run` serves; the command notesdb itself starts the program
// notesdb-serve, which alone is linked with an HTTP library.
cli::Command serve_command(std::function<cli::Exit(const cli::Session&)> run);

}  // namespace notesdb
