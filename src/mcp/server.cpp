#include "mcp/server.h"

#include <algorithm>
#include <utility>

#include "mcp/base64.h"
#include "mcp/era.h"
#include "mcp/methods.h"
#include "mcp/random.h"

namespace notesdb::mcp {

std::string PendingQuestions::keep(Json state, std::string request) {
  constexpr std::chrono::minutes lifetime{10};
  std::string id = to_base64(random_bytes(16));
  const std::lock_guard guard(mutex_);
  if (pending_.size() >= max_count) pending_.pop_front();
  pending_.push_back({id, std::move(request), std::move(state), Clock::now() + lifetime});
  return id;
}

std::optional<Json> PendingQuestions::take(const std::string& id, const std::string& request) {
  const std::lock_guard guard(mutex_);
  const auto now = Clock::now();
  while (!pending_.empty() && pending_.front().until < now)
    pending_.pop_front();
  const auto found = std::ranges::find(pending_, id, &Pending::id);
  if (found == pending_.end() || found->request != request) return std::nullopt;
  std::optional<Json> state = std::move(found->state);
  pending_.erase(found);
  return state;
}

std::string request_key(const std::string& method, const Json& params) {
  const Json* arguments = find(params, "arguments");
  const std::string text = arguments == nullptr ? "{}" : to_text(*arguments);
  const std::string sorted = nlohmann::json::parse(text).dump();
  return method + '\0' + text_of(params, "name") + '\0' + sorted;
}

namespace {

constexpr std::size_t max_in_batch = 100;

Accepted::Step refused(const Json& id, const RpcError& error) {
  return {nullptr, {error_text(id, error), error.http_status}};
}

RpcError unreadable(const Error& error) {
  const RpcCode code =
      error.code == ErrorCode::limit_exceeded ? RpcCode::invalid_request : RpcCode::parse_error;
  return {code, "Unreadable message: " + error.message, nullptr, 400};
}

RpcError not_a_batch() {
  return {RpcCode::invalid_request, "Invalid request: one message, not an array", nullptr, 400};
}

Caller modern_caller(const Message& message, std::string revision) {
  Caller caller;
  caller.era = Era::modern;
  caller.revision = std::move(revision);
  caller.capabilities = *protocol_meta(message.params, "clientCapabilities");
  if (const Json* level = protocol_meta(message.params, "logLevel"); level && level->is_string()) {
    caller.log_level = level->get<std::string>();
  }
  return caller;
}

}  // namespace

Call* Accepted::only_call() const {
  return !batch && steps.size() == 1 ? steps.front().call.get() : nullptr;
}

void Server::set(Resources resources) {
  resources_ = std::make_unique<Resources>(std::move(resources));
}

const Tool* Server::find_tool(const std::string& name) const {
  const auto it = std::find_if(
      tools_.begin(), tools_.end(), [&](const Tool& tool) { return tool.name == name; });
  return it == tools_.end() ? nullptr : &*it;
}

const Prompt* Server::find_prompt(const std::string& name) const {
  const auto it = std::find_if(
      prompts_.begin(), prompts_.end(), [&](const Prompt& prompt) { return prompt.name == name; });
  return it == prompts_.end() ? nullptr : &*it;
}

bool Server::asks() const {
  return std::any_of(tools_.begin(), tools_.end(), [](const Tool& tool) { return tool.talks; });
}

Accepted Server::accept(std::string_view text, const Arrival& arrival) {
  Accepted accepted;
  Result<Json> json = read_json(text, arrival.limits);
  if (!json) {
    accepted.steps.push_back(refused(nullptr, unreadable(json.error())));
    return accepted;
  }
  if (!json->is_array()) {
    accept_message(std::move(*json), arrival, accepted);
    return accepted;
  }
  const bool acceptable = accepts_batch(arrival.session->revision(), arrival.http) &&
                          !json->empty() && json->size() <= max_in_batch;
  if (!acceptable) {
    accepted.steps.push_back(refused(nullptr, not_a_batch()));
    return accepted;
  }
  accepted.batch = true;
  for (Json& message : *json)
    accept_message(std::move(message), arrival, accepted);
  return accepted;
}

void Server::accept_message(Json json, const Arrival& arrival, Accepted& accepted) {
  const Json id = id_of(json);
  RpcResult<Message> message = read_message(std::move(json));
  if (!message) {
    accepted.steps.push_back(refused(id, message.error()));
    return;
  }
  switch (message->kind) {
    case MessageKind::request: accept_request(std::move(*message), arrival, accepted); break;
    case MessageKind::notification: accept_notification(*message, arrival, accepted); break;
    case MessageKind::response: accept_response(*message, arrival, accepted); break;
  }
}

void Server::accept_response(const Message& message, const Arrival& arrival, Accepted& accepted) {
  // No modern server asks over the wire, so no modern client answers.
  const bool modern = arrival.http != nullptr && !classify(message, {}, arrival.http);
  if (modern) {
    const RpcError error{RpcCode::invalid_request, "Nothing was asked", nullptr, 400};
    accepted.steps.push_back(refused(nullptr, error));
  } else {
    arrival.session->settle(message);
  }
}

void Server::accept_notification(const Message& message,
                                 const Arrival& arrival,
                                 Accepted& accepted) {
  const auto classified = classify(message, arrival.session->revision(), arrival.http);
  if (!classified && arrival.http != nullptr) {
    accepted.steps.push_back(refused(nullptr, classified.error()));
    return;
  }
  if (message.method != "notifications/cancelled") return;
  const Json* id = find(message.params, "requestId");
  if (id == nullptr) return;
  arrival.session->cancel(*id);
  subscriptions_.end(*arrival.session, *id);
}

RpcResult<Caller> Server::caller_of(const Message& message, const Arrival& arrival) const {
  const auto classified = classify(message, arrival.session->revision(), arrival.http);
  if (!classified) return classified.error();
  Caller caller;
  if (classified->era == Era::modern) {
    caller = modern_caller(message, classified->revision);
  } else {
    caller.revision = classified->revision;
    caller.capabilities = arrival.session->client_capabilities();
    caller.can_answer = arrival.can_answer;
    caller.has_own_stream = arrival.http == nullptr;
    if (options_.logging) caller.log_level = arrival.session->log_level();
  }
  if (const Json* meta = find(message.params, "_meta")) {
    const Json* token = find(*meta, "progressToken");
    if (token != nullptr && (token->is_string() || token->is_number_integer())) {
      caller.progress_token = *token;
    }
  }
  return caller;
}

std::optional<RpcError> Server::check_request(const Message& message,
                                              const Caller& caller,
                                              const Arrival& arrival) const {
  const bool modern_http = caller.era == Era::modern && arrival.http != nullptr;
  if (modern_http) {
    if (auto wrong = check_routing_headers(message, *arrival.http)) return wrong;
  }
  if (message.method != "tools/call" || caller.era == Era::legacy) return std::nullopt;
  const Tool* tool = find_tool(text_of(message.params, "name"));
  if (tool == nullptr) return std::nullopt;
  if (auto missing = check_capabilities(tool->needs, caller.capabilities)) return missing;
  const Json* arguments = find(message.params, "arguments");
  if (!modern_http || arguments == nullptr) return std::nullopt;
  return check_parameter_headers(tool->input_schema, *arguments, *arrival.http);
}

void Server::accept_request(Message message, const Arrival& arrival, Accepted& accepted) {
  RpcResult<Caller> caller = caller_of(message, arrival);
  if (!caller) {
    accepted.steps.push_back(refused(message.id, caller.error()));
    return;
  }
  if (auto wrong = check_request(message, *caller, arrival)) {
    accepted.steps.push_back(refused(message.id, *wrong));
    return;
  }
  const Method* method = find_method(*this, message.method, caller->era);
  if (method == nullptr) {
    accepted.steps.push_back(refused(message.id, unknown_method(message.method, caller->era)));
    return;
  }
  auto call = std::make_unique<Call>(std::move(message), std::move(*caller), arrival.session);
  // What later messages may rely on is done before they are read.
  if (method->at_once) {
    accepted.steps.push_back({nullptr, run(*call)});
  } else {
    accepted.steps.push_back({std::move(call), {}});
  }
}

bool Server::wants_stream(const Call& call) const {
  const std::string& method = call.message().method;
  if (method == "subscriptions/listen" || !call.caller().progress_token.is_null()) return true;
  if (method != "tools/call") return false;
  const Tool* tool = find_tool(text_of(call.params(), "name"));
  if (tool == nullptr || !tool->talks) return false;
  return call.caller().era == Era::legacy || !call.caller().log_level.empty();
}

Reply Server::complete(Accepted& accepted, const std::shared_ptr<Outbox>& outbox) {
  std::string batch;
  Reply last;
  for (Accepted::Step& step : accepted.steps) {
    if (step.call) {
      step.call->set_outbox(outbox);
      last = run(*step.call);
    } else {
      last = std::move(step.reply);
    }
    if (accepted.batch && !last.text.empty()) batch += (batch.empty() ? "[" : ",") + last.text;
  }
  if (!accepted.batch) return last;
  return {batch.empty() ? batch : batch + "]", 200};
}

Reply Server::run(Call& call) {
  RpcResult<ResultMembers> result = answer(*this, call);
  const Json& id = call.message().id;
  if (call.flag()->load() && !call.must_tell()) return {};  // nobody wants it any more
  if (!result) return {error_text(id, result.error()), result.error().http_status};
  if (result->members.is_null()) return {};  // it will be answered later
  return {result_text(id, *result), 200};
}

void Server::end(Session& session) {
  subscriptions_.end(session);
  session.close();
}

void Server::end_subscriptions() {
  subscriptions_.end_all([this](const Json& id) { return end_of_stream(*this, id); });
}

}  // namespace notesdb::mcp
