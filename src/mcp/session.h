// Session: what a server keeps about one conversation: what a legacy handshake agreed on, the calls
// under way, and the questions put to the client that it has not answered.
//
// On stdio there is one for the process. On HTTP a legacy client that can be asked has one, named
// by a header; every other request brings a new one that ends with it. A modern request relies on
// none of this but being cancellable. Safe to use from several threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "mcp/rpc.h"

namespace notesdb::mcp {

// Outbox: where messages to a client go: standard output, or the event stream of one HTTP answer.
//
// send() may be called from any thread; a message is one JSON text without a line break.
class Outbox {
 public:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  virtual ~Outbox() = default;

  // False if the client is gone; the message is then lost.
  virtual bool send(const std::string& message) = 0;
  // Whether the client is known to be gone.
  virtual bool closed() = 0;
};

// Set once, when the client no longer wants the answer.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

struct Question {
  std::string key;     // the handler's name for it
  std::string method;  // elicitation/create, sampling/createMessage, roots/list
  Json params = Json::object();
};

class Session {
 public:
  // What the handshake agreed on.
  void negotiate(std::string revision, Json client_capabilities);
  // Empty before a handshake.
  std::string revision() const;
  Json client_capabilities() const;

  // The least serious log lines that the legacy client asked for.
  void set_log_level(std::string level);
  std::string log_level() const;

  CancelFlag begin(const Json& id);
  void end(const CancelFlag& flag);
  // Unknown ids are ignored.
  void cancel(const Json& id);

  // Asks the client over `outbox` and waits. Empty if the client refused the question, is gone, or
  // the call was cancelled.
  std::optional<Json> ask(Outbox& outbox, const Question& question, const CancelFlag& flag);
  // A response of the client; one to no question of ours is ignored.
  void settle(const Message& response);

  // No more questions: those waiting come back empty.
  void close();

 private:
  struct Pending {
    bool settled = false;
    std::optional<Json> result;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string revision_;
  std::string log_level_ = "debug";
  Json client_capabilities_ = Json::object();
  std::multimap<std::string, CancelFlag> calls_;
  std::map<std::string, Pending> questions_;
  int asked_ = 0;
  bool closed_ = false;
};

}  // namespace notesdb::mcp
