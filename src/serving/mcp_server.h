// The MCP server of a workspace: the operations of the catalog as tools, and what a model should
// know before it calls the first of them. How messages travel is the affair of mcp/ and http/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"
#include "mcp/server.h"
#include "operations/operation.h"

namespace notesdb {

struct ServingOptions {
  // Failures of tools as ordinary results with "ok": false, for hosts that hide failed ones.
  bool plain_errors = false;
  // Only these tools, and not those; empty: no restriction. Exclusion wins.
  std::vector<std::string> tools;
  std::vector<std::string> excluded_tools;
};

// Whether the options leave a tool in.
bool is_offered(const Operation& operation, const ServingOptions& options);

// Fails with invalid_argument for a tool that there is none of. The workspace must outlive the
// server. Where the workspace is read-only the writers are not listed, and refused if called.
Result<std::unique_ptr<mcp::Server>> make_mcp_server(Workspace& workspace,
                                                     const ServingOptions& options);

// What a host gives its model to read at the start.
std::string instructions(bool read_only);

}  // namespace notesdb
