// McpClient: a host of the program's stdio server, revision 2025-11-25: the handshake, then calls.
//
// It holds the server to the protocol while it goes: one JSON object a line, the id answered that
// was asked, the text part of an answer the same JSON as `structuredContent`. What breaks that is
// thrown as std::runtime_error and fails the test.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "driving/process.h"

namespace notesdb::driving {

using Json = nlohmann::ordered_json;

class McpClient {
 public:
  // Starts `notesdb mcp` with these words after it and shakes hands.
  McpClient(const Words& words, const Environment& extra);

  // The result of a tool, or {"error": {code, message, data}} where the call failed.
  Json call(const std::string& tool, const Json& arguments);
  // Any other request: its `result`, or {"rpc_error": {...}}.
  Json request(const std::string& method, const Json& params);
  // Ends the server by closing its input.
  Finished finish() { return process_.finish(); }

 private:
  Process process_;
  int next_id_ = 0;
};

}  // namespace notesdb::driving
