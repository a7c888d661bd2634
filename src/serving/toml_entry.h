// TOML entry: one server in a settings file of the form
//
//   [mcp_servers.notesdb]          or    [ mcp_servers . "notesdb" ]
//   command = "/usr/bin/notesdb"         mcp_servers = { notesdb = { command = "...", args = [] } }
//   args = ["mcp"]
//
// toml++ says where the values stand, whatever the spelling; only their bytes are replaced, and the
// result is read again and compared before it is given back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

struct TomlServer {
  std::string name;
  std::string command;
  std::vector<std::string> arguments;
};

// The text with `server` in the table `group`. Fails with malformed_file for broken TOML, with its
// place, and for an entry that cannot be changed in one place.
Result<std::string> with_toml_server(std::string_view text,
                                     const std::string& group,
                                     const TomlServer& server);
// The text without it; as it is if there is none.
Result<std::string> without_toml_server(std::string_view text,
                                        const std::string& group,
                                        const std::string& name);
// All servers of the group that name a command.
Result<std::vector<TomlServer>> toml_servers(std::string_view text, const std::string& group);

}  // namespace notesdb
