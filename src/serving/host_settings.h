// Host settings: the file in which a program that talks to MCP servers lists them, with notesdb
// added to it.
//
//   host             file below the home folder                    where servers stand
//   claude-code      .claude.json                                  mcpServers
//   claude-desktop   .config/Claude/claude_desktop_config.json     mcpServers
//   cursor           .cursor/mcp.json                              mcpServers
//   vscode           .config/Code/User/mcp.json                    servers
//   codex            .codex/config.toml                            [mcp_servers.NAME]
//   gemini           .gemini/settings.json                         mcpServers
//
// Pure: texts in, texts out. Everything that is there stays as it is written, remarks included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

enum class SettingsFormat { json, toml };

struct Host {
  std::string id;
  std::string file;  // below the home folder
  SettingsFormat format = SettingsFormat::json;
  std::string servers_key;
};

const std::vector<Host>& hosts();
// Fails with invalid_argument, naming the hosts there are.
Result<Host> find_host(std::string_view id);

// How a host starts a server.
struct ServerEntry {
  std::string name = "notesdb";
  std::string command;  // an absolute path, since hosts have search paths of their own
  std::vector<std::string> arguments;
};

// The settings with the server added, or its earlier entry brought up to date: what else that says
// (an environment, what may be called unasked) stays. Empty settings are a new file. Fails with
// malformed_file if the text is not what the host's format says.
Result<std::string> with_server_entry(const Host& host,
                                      std::string_view settings,
                                      const ServerEntry& entry);

}  // namespace notesdb
