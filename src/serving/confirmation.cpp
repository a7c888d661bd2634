#include "serving/confirmation.h"

#include "json/json_value.h"
#include "operations/dispatch.h"

namespace notesdb {

namespace {

constexpr const char* key = "confirm";

// An enumeration rather than a bare accept: hosts differ in what "accept" shows their user.
mcp::Question yes_or_no(const std::string& question) {
  mcp::Json schema = {
      {"type", "object"},
      {"properties", {{key, {{"type", "string"}, {"title", "Go on?"}, {"enum", {"Yes", "No"}}}}}},
      {"required", {key}}};
  return {key,
          "elicitation/create",
          {{"mode", "form"}, {"message", question}, {"requestedSchema", schema}}};
}

bool says_yes(const mcp::Json& answer) {
  const mcp::Json* content = mcp::find(answer, "content");
  bool accepts = mcp::text_of(answer, "action") == "accept" && content != nullptr;
  return accepts && mcp::text_of(*content, key) == "Yes";
}

mcp::ToolResult refusal(ErrorCode code, std::string message) {
  return mcp::ToolResult::failure(to_json(to_value(Error{code, std::move(message)})));
}

}  // namespace

std::optional<mcp::ToolResult> confirm(const Operation& operation,
                                       const Value& arguments,
                                       Workspace& workspace,
                                       const mcp::Call& call) {
  if (operation.destroys == nullptr) return std::nullopt;
  std::optional<Destruction> destruction = operation.destroys(arguments, workspace);
  if (!destruction) return std::nullopt;
  if (!call.client_can("elicitation")) {
    const Value* said = arguments.find(destruction->argument);
    if (said != nullptr && !said->is_null()) return std::nullopt;
    return refusal(ErrorCode::invalid_argument,
                   destruction->question + " Nobody can be asked here: look at it with dry_run, " +
                       "then repeat the call with " + destruction->argument + ".");
  }
  const mcp::Json* answer = call.answer(key);
  // The answer comes back with the id of the question, which holds for these arguments: a yes to
  // anything else, or one that nobody was asked for, does not count.
  if (answer == nullptr || call.state() != destruction->question) {
    return mcp::ToolResult::ask({{yes_or_no(destruction->question)}, destruction->question});
  }
  if (says_yes(*answer)) return std::nullopt;
  return refusal(ErrorCode::cancelled, "the user did not say yes, so nothing was done");
}

}  // namespace notesdb
