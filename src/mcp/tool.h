// Tool: something a model may call, as it is registered with a Server (see server.h).
//
//   server.add({.name = "db_list",
//               .title = "List databases",
//               .description = "...",
//               .input_schema = {...},
//               .output_schema = {...},
//               .annotations = {.read_only = true},
//               .run = [&](const Json& arguments, Call& call) { ... return ToolResult::object(s);
//               }});
//
// Handlers run on several threads at once and may throw; what they throw is the client's
// "internal error" without its text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/call.h"

namespace notesdb::mcp {

// The hints of the protocol; said where they mean something, since their defaults surprise.
struct ToolAnnotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = false;
};

// Questions that must be answered before a call can be. `state` is there again with the answers.
struct Questions {
  std::vector<Question> questions;
  Json state = nullptr;
};

class ToolResult {
 public:
  // A structured answer: compact JSON text of an object. The text part is the same text.
  static ToolResult object(std::string json);
  // Content parts: {"type":"text","text":...}, image, audio, resource, resource_link.
  static ToolResult parts(std::vector<Json> parts);
  static ToolResult text(std::string text);
  // The work failed; compact JSON text of an object that a model can act on.
  static ToolResult failure(std::string json);
  static ToolResult failure_text(std::string text);
  static ToolResult ask(Questions questions);
  // The request itself was wrong; seen by the program that sent it, not by the model.
  static ToolResult refuse(RpcError error);

  std::string json;           // of object and failure, else empty
  std::vector<Json> content;  // where json is empty
  bool failed = false;
  std::optional<Questions> questions;
  std::optional<RpcError> refusal;
};

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema = Json::object();
  Json output_schema = nullptr;  // an object schema, or null
  ToolAnnotations annotations;
  Json meta = nullptr;  // `_meta` of the tool, or null
  std::string app;      // the resource that shows its answers, to clients that show such; or empty
  // Whether a call may send log lines or questions before its answer; over HTTP it then gets an
  // event stream.
  bool talks = false;
  // False: it answers calls but is not on the list, so that who calls it learns why it may not.
  bool listed = true;
  // Capabilities without which a modern call makes no sense: {"sampling"}.
  std::vector<std::string> needs;
  std::function<ToolResult(const Json& arguments, Call& call)> run;
};

inline ToolResult ToolResult::object(std::string json) {
  ToolResult result;
  result.json = std::move(json);
  return result;
}
inline ToolResult ToolResult::parts(std::vector<Json> parts) {
  ToolResult result;
  result.content = std::move(parts);
  return result;
}
inline ToolResult ToolResult::text(std::string text) {
  return parts({{{"type", "text"}, {"text", std::move(text)}}});
}
inline ToolResult ToolResult::failure(std::string json) {
  ToolResult result = object(std::move(json));
  result.failed = true;
  return result;
}
inline ToolResult ToolResult::failure_text(std::string text) {
  ToolResult result = ToolResult::text(std::move(text));
  result.failed = true;
  return result;
}
inline ToolResult ToolResult::ask(Questions questions) {
  ToolResult result;
  result.questions = std::move(questions);
  return result;
}
inline ToolResult ToolResult::refuse(RpcError error) {
  ToolResult result;
  result.refusal = std::move(error);
  return result;
}

}  // namespace notesdb::mcp
