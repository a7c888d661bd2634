// Slots: how many connections are open, as plain ones and as event streams, against their bounds.
//
// When all are taken, whoever has kept one waiting the longest without a whole request loses it to
// the newcomer: silent and slow connections cannot keep out others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

#include <sys/socket.h>

#include "http/request.h"

namespace notesdb::http {

class Slots {
 public:
  explicit Slots(const Limits& limits) : limits_(limits) {}

  // One more connection; false if there are too many, all of them at work.
  bool enter() {
    const std::lock_guard lock(mutex_);
    if (connections_ >= limits_.connections) {
      if (waiting_.empty()) return false;
      ::shutdown(waiting_.front(), SHUT_RDWR);  // it notices, and leaves
      waiting_.pop_front();
    }
    ++connections_;
    return true;
  }
  // A connection waits for the rest of a request, and no longer.
  void wait_begins(int socket) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(socket);
  }
  void wait_ends(int socket) {
    const std::lock_guard lock(mutex_);
    waiting_.remove(socket);
  }
  // A connection becomes an event stream; false if there are too many of those.
  bool become_stream() {
    const std::lock_guard lock(mutex_);
    if (streams_ >= limits_.streams) return false;
    ++streams_;
    --connections_;
    return true;
  }
  // The stream is over and the connection a plain one again, over its bound if need be.
  void end_stream() {
    const std::lock_guard lock(mutex_);
    --streams_;
    ++connections_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --connections_;
    changed_.notify_all();
  }
  // Whether all have left within the time.
  bool wait_until_empty(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return connections_ == 0 && streams_ == 0; });
  }

 private:
  const Limits& limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<int> waiting_;  // the longest first
  unsigned connections_ = 0;
  unsigned streams_ = 0;
};

}  // namespace notesdb::http
