// prompts/* and completion/complete.
#include <utility>

#include "mcp/methods.h"
#include "mcp/page.h"
#include "mcp/questions.h"

namespace notesdb::mcp {
namespace {

constexpr std::size_t max_completions = 100;

Json show(const Prompt& prompt, const std::string& revision) {
  Json shown{{"name", prompt.name}};
  if (has_structure(revision) && !prompt.title.empty()) shown["title"] = prompt.title;
  shown["description"] = prompt.description;
  if (prompt.arguments.empty()) return shown;
  shown["arguments"] = Json::array();
  for (const PromptArgument& argument : prompt.arguments) {
    shown["arguments"].push_back({{"name", argument.name},
                                  {"description", argument.description},
                                  {"required", argument.required}});
  }
  return shown;
}

std::optional<RpcError> check_arguments(const Prompt& prompt, const Json& arguments) {
  if (!arguments.is_object()) return invalid_params("arguments must be an object");
  for (const auto& [name, value] : arguments.items()) {
    if (!value.is_string()) return invalid_params("Argument must be a string: " + name);
  }
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return invalid_params("Missing argument: " + argument.name);
    }
  }
  return std::nullopt;
}

ResultMembers show(const PromptResult& prompt) {
  ResultMembers result;
  if (!prompt.description.empty()) result.members["description"] = prompt.description;
  result.members["messages"] = prompt.messages;
  return result;
}

RpcResult<CompletionRequest> completion_request(const Json& params) {
  const Json* ref = find(params, "ref");
  const Json* argument = find(params, "argument");
  if (ref == nullptr || argument == nullptr) return invalid_params("ref and argument are needed");
  CompletionRequest request;
  const std::string type = text_of(*ref, "type");
  if (type == "ref/prompt") {
    request.prompt = text_of(*ref, "name");
  } else if (type == "ref/resource") {
    request.uri_template = text_of(*ref, "uri");
  } else {
    return invalid_params("ref must be a ref/prompt or a ref/resource");
  }
  request.argument = text_of(*argument, "name");
  if (request.argument.empty()) return invalid_params("argument must have a name");
  request.typed = text_of(*argument, "value");
  if (const Json* context = find(params, "context")) {
    if (const Json* chosen = find(*context, "arguments"); chosen && chosen->is_object()) {
      request.arguments = *chosen;
    }
  }
  return request;
}

bool knows_template(const Server& server, const std::string& uri_template) {
  if (server.resources() == nullptr) return false;
  for (const ResourceTemplate& known : server.resources()->templates) {
    if (known.uri_template == uri_template) return true;
  }
  return false;
}

}  // namespace

RpcResult<ResultMembers> list_prompts(Server& server, Call& call) {
  const std::string& revision = call.caller().revision;
  return page_of(server.prompts(), call.params(), "prompts", [&](const Prompt& prompt) {
    return show(prompt, revision);
  });
}

RpcResult<ResultMembers> get_prompt(Server& server, Call& call) {
  const std::string name = text_of(call.params(), "name");
  const Prompt* prompt = server.find_prompt(name);
  if (prompt == nullptr) return invalid_params("Unknown prompt: " + name, {{"name", name}});
  const Json* given = find(call.params(), "arguments");
  const Json arguments = given == nullptr || given->is_null() ? Json::object() : *given;
  if (auto wrong = check_arguments(*prompt, arguments)) return *wrong;
  if (auto wrong = take_answers(server, call)) return *wrong;
  const std::optional<PromptResult> result = run_asking(prompt->run, arguments, call);
  if (!result) return invalid_params("This prompt needs an answer that the client cannot give");
  if (result->refusal) return *result->refusal;
  if (result->questions) return questions_result(server, call, *result->questions);
  return show(*result);
}

RpcResult<ResultMembers> complete_argument(Server& server, Call& call) {
  const RpcResult<CompletionRequest> request = completion_request(call.params());
  if (!request) return request.error();
  if (!request->prompt.empty() && server.find_prompt(request->prompt) == nullptr) {
    return invalid_params("Unknown prompt: " + request->prompt);
  }
  if (request->prompt.empty() && !knows_template(server, request->uri_template)) {
    return invalid_params("Unknown resource template: " + request->uri_template);
  }
  std::vector<std::string> values = server.completion()(*request);
  const std::size_t total = values.size();
  const bool more = total > max_completions;
  if (more) values.resize(max_completions);
  ResultMembers result;
  result.members["completion"] = {{"values", values}, {"total", total}, {"hasMore", more}};
  return result;
}

}  // namespace notesdb::mcp
