#include "mcp/conversation.h"

#include <utility>

namespace notesdb::mcp {

std::unique_ptr<Server> fixture_server(bool plain_errors) {
  ServerOptions options;
  options.info = {"fixture", "Fixture", "1.0.0", "For tests"};
  options.instructions = "A server for tests.";
  options.logging = true;
  options.plain_errors = plain_errors;
  auto server = std::make_unique<Server>(std::move(options));
  fixture::furnish(*server);
  return server;
}

void Conversation::say(const std::string& text) {
  Accepted accepted = server_.accept(text, {session_, nullptr, message_limits, true});
  const Reply reply = server_.complete(accepted, outbox_);
  if (!reply.text.empty()) outbox_->send(reply.text);
}

Json Conversation::next() {
  if (outbox_->messages.empty()) return nullptr;
  const std::string text = outbox_->messages.front();
  outbox_->messages.pop_front();
  return Json::parse(text);
}

Json Conversation::ask(const std::string& text) {
  say(text);
  return next();
}

std::string modern(const Json& id,
                   const std::string& method,
                   Json params,
                   const Json& capabilities) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
  return request_text(id, method, params);
}

bool contains(const Json& actual, const Json& expected) {
  if (expected == "...") return true;
  if (expected.is_object()) {
    if (!actual.is_object()) return false;
    for (const auto& [key, value] : expected.items()) {
      if (!actual.contains(key) || !contains(actual[key], value)) return false;
    }
    return true;
  }
  if (!expected.is_array()) return actual == expected;
  if (!actual.is_array() || actual.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!contains(actual[i], expected[i])) return false;
  }
  return true;
}

}  // namespace notesdb::mcp
