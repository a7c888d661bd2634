// Served: a copy of notes-sample with the product's own server before it, spoken to in memory by a
// client of either era.
#pragma once

#include <memory>
#include <string>

#include "database/workspace.h"
#include "driving/folder.h"
#include "mcp/server.h"
#include "serving/mcp_server.h"

namespace notesdb {

class Served {
 public:
  explicit Served(const ServingOptions& options = {}, bool read_only = false);

  // The whole answer to a request of 2026-07-28 whose client has these capabilities.
  mcp::Json modern(const std::string& method,
                   mcp::Json params = mcp::Json::object(),
                   const mcp::Json& capabilities = mcp::Json::object());
  // The same after a handshake that agreed on this revision. Questions are answered with `says`,
  // as {"action": "accept", "content": {"confirm": says}}, if it is not empty.
  mcp::Json legacy(const std::string& revision,
                   const std::string& method,
                   mcp::Json params = mcp::Json::object(),
                   const std::string& says = "");
  // The result of a tool, for a modern client that cannot be asked.
  mcp::Json call(const std::string& tool, mcp::Json arguments);

  driving::Tree tree() const { return driving::read_tree(folder_.path()); }
  const std::filesystem::path& root() const { return folder_.path(); }

 private:
  mcp::Json ask(const std::string& text,
                const std::shared_ptr<mcp::Session>& session,
                const std::shared_ptr<mcp::Outbox>& outbox);

  driving::ScratchFolder folder_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<mcp::Server> server_;
};

}  // namespace notesdb
