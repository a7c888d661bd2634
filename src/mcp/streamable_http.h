// StreamableHttp: the HTTP interface, as far as it is about the protocol: what one POST to the endpoint
// is answered with. Sockets, limits and who may come in are the business of http/.
//
// An answer is one JSON object, or an event stream where messages may come before it (progress, log
// lines, questions to a legacy client) or instead of it (subscriptions). No session is needed; a
// legacy client that can answer questions is given one, so that its answers find their call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "mcp/server.h"

namespace notesdb::mcp {

// What an event stream is written to.
class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;
  virtual ~EventSink() = default;
  // False if the client is gone.
  virtual bool write(std::string_view bytes) = 0;
  virtual bool closed() = 0;
};

class EventQueue;

struct HttpAnswer {
  int status = 200;
  std::string body;        // JSON, or empty
  std::string session_id;  // for the header Mcp-Session-Id; empty: none
  // Writes the event stream to its end; null: the answer is `body`.
  std::function<void(EventSink& sink)> stream;
};

class StreamableHttp {
 public:
  static constexpr std::size_t longest_body = std::size_t{1} << 20;

  explicit StreamableHttp(Server& server) : server_(server) {}

  // `gone` says whether the client has closed its connection.
  HttpAnswer post(const HttpHeaders& headers, std::string_view body, std::function<bool()> gone);

  // Open streams get their last message and end at once; questions come back empty. New streams
  // end as soon as they have begun.
  void stop();

 private:
  using Sessions = std::map<std::string, std::pair<std::shared_ptr<Session>, std::uint64_t>>;

  std::shared_ptr<Session> find_session(const std::string& id);
  // The name of a session that is worth keeping; empty if this one is not.
  std::string keep(const std::shared_ptr<Session>& session);
  HttpAnswer run(Accepted accepted, std::function<bool()> gone);
  void stream(Accepted& accepted, EventSink& sink);
  void stream_subscription(Accepted& accepted, EventSink& sink);
  void keep_open(const std::shared_ptr<EventQueue>& events);

  Server& server_;
  std::mutex mutex_;
  Sessions sessions_;
  std::uint64_t uses_ = 0;
  std::set<std::shared_ptr<EventQueue>> subscriptions_;
  bool stopping_ = false;
};

}  // namespace notesdb::mcp
