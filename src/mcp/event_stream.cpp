#include "mcp/event_stream.h"

#include <chrono>
#include <utility>

namespace notesdb::mcp {
namespace {

// How often a silent stream looks whether its client is still there, and after how many silent
// looks it says something that is no message.
constexpr std::chrono::seconds glance{1};
constexpr int glances_to_comment = 15;

}  // namespace

std::string as_event(const std::string& message) {
  return "event: message\ndata: " + message + "\n\n";
}

bool EventStream::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  return sink_ != nullptr && sink_->write(as_event(message));
}

bool EventStream::closed() {
  const std::lock_guard lock(mutex_);
  return sink_ == nullptr || sink_->closed();
}

void EventStream::end() {
  const std::lock_guard lock(mutex_);
  sink_ = nullptr;
}

bool EventQueue::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= max_waiting) ended_ = true;
  if (ended_) return false;
  waiting_.push_back(message);
  changed_.notify_one();
  return true;
}

bool EventQueue::closed() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void EventQueue::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_one();
}

void EventQueue::pump(EventSink& sink) {
  int silent = 0;
  std::unique_lock lock(mutex_);
  while (!ended_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      if (sink.closed()) return;
      changed_.wait_for(lock, glance, [&] { return ended_ || !waiting_.empty(); });
    }
    std::string bytes;
    if (!waiting_.empty()) {
      bytes = as_event(waiting_.front());
      waiting_.pop_front();
    } else if (++silent % glances_to_comment == 0) {
      bytes = ": still here\n\n";
    }
    if (bytes.empty()) continue;
    lock.unlock();  // writing may take a while
    const bool written = sink.write(bytes);
    lock.lock();
    if (!written) return;
  }
}

}  // namespace notesdb::mcp
