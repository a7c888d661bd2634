// Conversation: a client of the fixture server in memory, with no transport between them.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "fixture/fixture.h"
#include "mcp/server.h"

namespace notesdb::mcp {

// Keeps what it is sent.
class Kept : public Outbox {
 public:
  bool send(const std::string& message) override {
    messages.push_back(message);
    return true;
  }
  bool closed() override { return false; }

  std::deque<std::string> messages;
};

// A server with everything of the fixture.
std::unique_ptr<Server> fixture_server(bool plain_errors = false);

class Conversation {
 public:
  explicit Conversation(Server& server) : server_(server) {}

  // Sends one text as it would arrive on stdio, and runs what it asks for.
  void say(const std::string& text);
  // The next message of the server; null if there is none.
  Json next();
  // say() and next().
  Json ask(const std::string& text);

  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  Server& server_;
  std::shared_ptr<Session> session_ = std::make_shared<Session>();
  std::shared_ptr<Kept> outbox_ = std::make_shared<Kept>();
};

// A request of the modern era. `capabilities` are the client's.
std::string modern(const Json& id,
                   const std::string& method,
                   Json params = Json::object(),
                   const Json& capabilities = Json::object());

// Whether everything in `expected` is in `actual`: members by name, lists element by element, and
// "..." stands for any value.
bool contains(const Json& actual, const Json& expected);

}  // namespace notesdb::mcp
