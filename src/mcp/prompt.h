// Prompts and completion, as they are registered with a Server.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mcp/tool.h"

namespace notesdb::mcp {

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct PromptResult {
  std::string description;
  std::vector<Json> messages;  // {"role":"user","content":{"type":"text","text":...}}
  std::optional<Questions> questions;
  std::optional<RpcError> refusal;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  // Every required argument is there, and every argument is a text.
  std::function<PromptResult(const Json& arguments, Call& call)> run;
};

// What is being typed: an argument of a prompt, or a variable of a resource template.
struct CompletionRequest {
  std::string prompt;        // its name, or empty
  std::string uri_template;  // or empty
  std::string argument;
  std::string typed;
  Json arguments = Json::object();  // what was chosen before, by name
};

// Best first; cut to 100 by the server.
using Completion = std::function<std::vector<std::string>(const CompletionRequest&)>;

}  // namespace notesdb::mcp
