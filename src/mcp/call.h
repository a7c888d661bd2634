// Call: one request while it is being answered, as its handler sees it: whether it is still wanted,
// where its progress goes, what its client can do, and what the client answered when asked.
//
// A handler that needs to ask returns its questions (see tool.h) and is run again from the start
// with the answers; how they travel is the era's business and not the handler's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/era.h"
#include "mcp/session.h"

namespace notesdb::mcp {

// Whether the protocol knows this level of log lines.
bool is_log_level(std::string_view level);

// What the handler of a call may know about its caller.
struct Caller {
  Era era = Era::legacy;
  std::string revision = std::string(newest_legacy_revision);
  Json capabilities = Json::object();
  Json progress_token = nullptr;
  std::string log_level;       // empty: no log lines are wanted
  bool can_answer = true;      // whether a question can reach the client and its answer come back
  bool has_own_stream = true;  // whether notices reach it outside of any call: stdio
};

class Call {
 public:
  Call(Message message, Caller caller, std::shared_ptr<Session> session);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Whether nobody wants the answer any more; a long work asks now and then.
  bool cancelled() const;
  // The same of a call that changes nothing: it also ends where its client has left, of whatever
  // era.
  bool abandoned() const;
  // How far the work is; told to the client only if it asked, at most every 50 ms, and never
  // backwards.
  void progress(double done, std::optional<double> total = {}, std::string_view text = {});
  // What the call did is to be told, even to a client that has cancelled it by now.
  void has_changed() { must_tell_ = true; }
  bool must_tell() const { return must_tell_; }
  // A log line for the client (debug, info, warning, error), if it wants such.
  void log(std::string_view level, const Json& data);

  // Whether the client can answer this kind of question: elicitation, sampling, roots.
  bool client_can(std::string_view capability) const;
  // The client's answer to the question with this key; null pointer before it was asked.
  const Json* answer(const std::string& key) const;
  // What the handler gave along with its questions, untouched by the client; null at first.
  const Json& state() const { return state_; }

  const Caller& caller() const { return caller_; }

  // The rest is between the call and the server.

  const Message& message() const { return message_; }
  const Json& params() const { return message_.params; }
  Session& session() const { return *session_; }
  const std::shared_ptr<Session>& shared_session() const { return session_; }
  const CancelFlag& flag() const { return flag_; }
  // Where notices go while it runs; none before it runs. On HTTP a closed outbox of a modern call
  // is its cancellation.
  void set_outbox(std::shared_ptr<Outbox> outbox) { outbox_ = std::move(outbox); }
  const std::shared_ptr<Outbox>& outbox() const { return outbox_; }
  void set_answers(std::map<std::string, Json> answers) { answers_ = std::move(answers); }
  void add_answer(const std::string& key, Json answer) { answers_[key] = std::move(answer); }
  void set_state(Json state) { state_ = std::move(state); }

 private:
  void notify(const std::string& method, Json params);

  Message message_;
  Caller caller_;
  std::shared_ptr<Session> session_;
  CancelFlag flag_;
  std::shared_ptr<Outbox> outbox_;
  std::map<std::string, Json> answers_;
  Json state_ = nullptr;
  bool must_tell_ = false;
  double done_ = -1;
  long long told_at_ = 0;
};

}  // namespace notesdb::mcp
