#include "serving/confirmation.h"

#include <chrono>

#include "json/json_value.h"
#include "operations/dispatch.h"

namespace notesdb {

namespace {

constexpr const char* key = "confirm";
constexpr const char* count_argument = "expect_count";

// No person reads a question and says no in less.
constexpr std::int64_t fastest_person_ms = 500;

std::int64_t now_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

// What was asked and when, kept until the answer comes.
mcp::Json asked(const std::string& question) {
  return {{"question", question}, {"asked_ms", now_ms()}};
}

// Whether the host declined by itself, without showing the question.
bool is_unseen(const mcp::Json& answer, const mcp::Json& state) {
  const mcp::Json* at = mcp::find(state, "asked_ms");
  return mcp::text_of(answer, "action") != "accept" && at != nullptr &&
         now_ms() - at->get<std::int64_t>() < fastest_person_ms;
}

mcp::ToolResult failure(const Error& error) {
  return mcp::ToolResult::failure(to_json(to_value(error)));
}

// Whether the call says itself what it changes; a wrong number did not pass the rehearsal.
bool says_count(const Value& arguments) {
  const Value* said = arguments.find(count_argument);
  return said != nullptr && !said->is_null();
}

mcp::ToolResult count_needed(const Destruction& destruction, const std::string& why) {
  return failure(Error{ErrorCode::invalid_argument,
                       destruction.question + " " + why + ": repeat the call with expect_count " +
                           std::to_string(destruction.rows) +
                           " if that is what the user wants; dry_run shows the diff",
                       Map{}}
                     .with(count_argument, destruction.rows)
                     .with("setting", "confirm"));
}

Result<std::optional<Destruction>> destruction_of(const Operation& operation,
                                                  const Value& arguments,
                                                  const Context& context) {
  Context rehearsing = context;
  rehearsing.rehearses = true;
  return operation.destroys(
      arguments, context.workspace, [&] { return dispatch(operation, arguments, rehearsing); });
}

}  // namespace

std::optional<mcp::ToolResult> confirm(const Operation& operation,
                                       const Value& arguments,
                                       const Context& context,
                                       const mcp::Call& call) {
  const Confirm setting = context.workspace.settings().confirm.value;
  if (operation.destroys == nullptr || setting == Confirm::never) return std::nullopt;
  const auto found = destruction_of(operation, arguments, context);
  if (!found) return failure(found.error());
  if (!*found) return std::nullopt;
  const Destruction& destruction = **found;
  if (setting == Confirm::expect_count || !call.client_can("elicitation")) {
    if (says_count(arguments)) return std::nullopt;
    return count_needed(destruction,
                        setting == Confirm::ask ? "Nobody can be asked here (confirm: ask)"
                                                : "This server wants to be told (confirm: "
                                                  "expect_count)");
  }
  const mcp::Json* answer = call.answer(key);
  // The answer comes back with the id of the question, which holds for these arguments: a yes to
  // anything else, or one that nobody was asked for, does not count.
  if (answer == nullptr || mcp::text_of(call.state(), "question") != destruction.question)
    return mcp::ToolResult::ask({{yes_or_no(destruction.question)}, asked(destruction.question)});
  if (says_yes(*answer)) return std::nullopt;
  if (!is_unseen(*answer, call.state()))
    return failure({ErrorCode::cancelled, "the user did not say yes, so nothing was done", Map{}});
  if (says_count(arguments)) return std::nullopt;
  return count_needed(destruction,
                      "The host declined without showing the question to its user (confirm: ask)");
}

}  // namespace notesdb
