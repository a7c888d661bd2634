// Resources of a workspace: what a host may read, and hear of, without calling a tool.
//
//   notesdb://database/stories            its schema and a sample of rows, as JSON
//   notesdb://row/stories/story-001       one row with its body, as JSON
//
// Ids are percent-encoded, so that a slash within one is no separator. Changes are seen whoever
// makes them: while somebody listens, every row's etag is compared with what it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/workspace.h"
#include "mcp/server.h"

namespace notesdb {

std::string database_uri(std::string_view database_id);
std::string row_uri(std::string_view database_id, std::string_view row_id);

// What a uri names; row_id is empty for a database.
struct ResourceName {
  std::string database_id;
  std::string row_id;
};
std::optional<ResourceName> parse_resource_uri(std::string_view uri);

// Registers resources, their templates and their watching. The workspace must outlive the server.
void add_resources(mcp::Server& server, Workspace& workspace);

}  // namespace notesdb
