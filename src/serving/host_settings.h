// Host settings: the file in which a program that talks to MCP servers lists them, with notesdb
// added to it or taken out.
//
//   host             file of the user                              entries under
//   claude-code      .claude.json              CLAUDE_CONFIG_DIR   mcpServers
//   claude-desktop   Claude/claude_desktop_config.json      XDG    mcpServers
//   codex            .codex/config.toml        CODEX_HOME          [mcp_servers.NAME]
//   copilot          .copilot/mcp-config.json  COPILOT_HOME        mcpServers
//   cursor           .cursor/mcp.json                              mcpServers
//   gemini           .gemini/settings.json                         mcpServers
//   goose            goose/config.yaml                      XDG    extensions
//   jazz             .agents/mcp.json                              mcpServers
//   opencode         opencode/opencode.json                 XDG    mcp
//   vscode           Code/User/mcp.json                     XDG    servers
//   windsurf         .codeium/windsurf/mcp_config.json             mcpServers
//   zed              zed/settings.json                      XDG    context_servers
//
// XDG: below XDG_CONFIG_HOME, .config if that is not set. Another variable names the folder that
// the file lies in.
//
// Pure: texts in, texts out. Everything that is there stays as it is written, comments included.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

enum class SettingsFormat { json, toml, yaml };

// How a host spells an entry.
enum class EntryShape {
  command,        // command: PROGRAM, args: [...]
  typed_command,  // the same with type: stdio
  copilot,        // the same with type: local, tools: ["*"]
  zed,            // the same with source: custom
  opencode,       // type: local, command: [PROGRAM, ...], enabled: true
  goose           // name, type: stdio, cmd: PROGRAM, args: [...], enabled: true, timeout: 300
};

struct Host {
  std::string id;
  std::string variable;      // the environment variable that moves `folder`; empty: none
  std::string folder;        // below the home folder
  std::string file;          // below `folder`
  std::string project_file;  // below a project's folder; empty: the host has none
  SettingsFormat format = SettingsFormat::json;
  std::string servers_key;
  EntryShape shape = EntryShape::command;
  std::string max_bytes = {};  // what it passes on of one answer without cutting it; empty: enough
  bool hides_errors = false;   // a server for it has --plain-errors
};

const std::vector<Host>& hosts();
// Fails with invalid_argument, naming the hosts there are.
Result<Host> find_host(std::string_view id);

enum class Scope { user, project };

// Where a host's settings are: an absolute path of the machine, and how a message names it.
struct SettingsPlace {
  std::string path;
  std::string shown;
};
// Fails with invalid_argument where there is no home folder, or no settings of that scope.
Result<SettingsPlace> settings_place(
    const Host& host,
    Scope scope,
    const std::string& project_folder,
    const std::function<std::optional<std::string>(const std::string&)>& environment);

// How a host starts a server.
struct ServerEntry {
  std::string name = "notesdb";
  std::string command;  // an absolute path, since hosts have search paths of their own
  std::vector<std::string> arguments;
};

// The settings with the server added, or its earlier entry brought up to date: what else that says
// (an environment, what may be called without a question) stays. Empty settings are a new file.
// Fails with malformed_file if the text is not what the host's format says.
Result<std::string> with_server_entry(const Host& host,
                                      std::string_view settings,
                                      const ServerEntry& entry);

// The settings without the server; as they are if it is not there.
Result<std::string> without_server_entry(const Host& host,
                                         std::string_view settings,
                                         const std::string& name);

// The names of the entries that start a program called `notesdb`, with the workspace of each where
// its arguments name one.
struct FoundEntry {
  std::string name;
  std::string root;
};
Result<std::vector<FoundEntry>> notesdb_entries(const Host& host, std::string_view settings);

}  // namespace notesdb
