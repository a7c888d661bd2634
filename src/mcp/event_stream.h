// Event streams: messages as server-sent events, written at once or from a queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "mcp/outbox.h"
#include "mcp/streamable_http.h"

namespace notesdb::mcp {

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
