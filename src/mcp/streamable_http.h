// StreamableHttp: the HTTP interface, as far as it is about the protocol: what one POST to the endpoint
// is answered with. Sockets, limits and who may come in are the business of http/.
//
// An answer is one JSON object, or an event stream where messages may come before it (progress, log
// lines, questions to a legacy client) or instead of it (subscriptions). No session is needed; a
// legacy client that can answer questions is given one, so that its answers find their call.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "mcp/server.h"
#include "mcp/session.h"

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

// Event streams: messages as server-sent events, written at once or from a queue.

std::string as_event(const std::string& message);

// Writes each message when it is sent, as long as the sink is there.
class EventStream : public Outbox {
 public:
  explicit EventStream(EventSink& sink) : sink_(&sink) {}
  bool send(const std::string& message) override;
  bool closed() override;
  // The sink is not used after this.
  void end();

 private:
  std::mutex mutex_;
  EventSink* sink_;
};

// Keeps messages for the thread that owns the connection, so that a slow client holds up nobody
// who has something to say. A client that falls too far after has lost its stream.
class EventQueue : public Outbox {
 public:
  bool send(const std::string& message) override;
  bool closed() override;
  // Writes what comes until the client is gone, or the end; a comment now and then keeps the
  // connection open.
  void pump(EventSink& sink);
  // What waits is still written. What is sent after this is lost.
  void end();

 private:
  static constexpr std::size_t max_waiting = 1000;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool ended_ = false;
};

}  // namespace notesdb::mcp
