#include "mcp/questions.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mcp/methods.h"

namespace notesdb::mcp {
namespace {

// The capability that a client needs to answer a kind of question.
std::string capability_for(const std::string& method) {
  if (method == "sampling/createMessage") return "sampling";
  if (method == "roots/list") return "roots";
  return "elicitation";
}

}  // namespace

std::optional<RpcError> take_answers(const Server& server, Call& call) {
  if (call.caller().era == Era::legacy) return std::nullopt;
  if (const Json* responses = find(call.params(), "inputResponses")) {
    if (!responses->is_object()) return invalid_params("inputResponses must be an object");
    std::map<std::string, Json> answers;
    for (const auto& [key, response] : responses->items()) {
      if (!response.is_object()) {
        return invalid_params("every response of inputResponses must be an object");
      }
      answers[key] = response;
    }
    call.set_answers(std::move(answers));
  }
  const Json* sealed = find(call.params(), "requestState");
  if (sealed == nullptr) return std::nullopt;
  if (!sealed->is_string()) return invalid_params("requestState must be a string");
  auto state = server.sealer().open(sealed->get<std::string>(),
                                    purpose_of(call.message().method, call.params()));
  if (!state) return invalid_params("requestState is not the one that was given for this request");
  call.set_state(std::move(*state));
  return std::nullopt;
}

RpcResult<ResultMembers> questions_result(const Server& server,
                                          const Call& call,
                                          const Questions& questions) {
  std::vector<std::string> needed;
  Json requests = Json::object();
  for (const Question& question : questions.questions) {
    needed.push_back(capability_for(question.method));
    requests[question.key] = {{"method", question.method}, {"params", question.params}};
  }
  if (auto missing = check_capabilities(needed, call.caller().capabilities)) return *missing;
  ResultMembers result;
  result.members["resultType"] = "input_required";
  if (!requests.empty()) result.members["inputRequests"] = std::move(requests);
  if (!questions.state.is_null() || questions.questions.empty()) {
    result.members["requestState"] =
        server.sealer().seal(questions.state, purpose_of(call.message().method, call.params()));
  }
  return result;
}

bool ask_legacy_client(Call& call, const Questions& questions) {
  for (const Question& question : questions.questions) {
    const std::string capability = capability_for(question.method);
    if (!call.client_can(capability) || !call.outbox()) return false;
    std::optional<Json> answer = call.session().ask(*call.outbox(), question, call.flag());
    if (call.cancelled()) return false;
    if (!answer && capability != "elicitation") return false;
    call.add_answer(question.key, answer ? std::move(*answer) : Json{{"action", "cancel"}});
  }
  call.set_state(questions.state);
  return true;
}

}  // namespace notesdb::mcp
