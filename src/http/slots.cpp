#include "http/slots.h"

#include <algorithm>

#include <sys/socket.h>

namespace notesdb::http {

bool Slots::turn_out(bool with_room) {
  auto longest = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    return one.has_room || !with_room;
  });
  if (longest == waiting_.end()) return false;
  ::shutdown(longest->socket, SHUT_RDWR);  // it notices, and leaves
  waiting_.erase(longest);
  return true;
}

bool Slots::is_burst() const {
  constexpr std::chrono::milliseconds moment{100};
  return arriving_ > 0 || (!waiting_.empty() && Clock::now() - waiting_.front().since < moment);
}

bool Slots::enter() {
  const std::lock_guard lock(mutex_);
  const unsigned bound = limits_.connections * (is_burst() ? 2 : 1);
  if (connections_ >= bound && !turn_out(/*with_room=*/false)) return false;
  ++connections_;
  ++arriving_;
  return true;
}

void Slots::arrive() {
  const std::lock_guard lock(mutex_);
  --arriving_;
}

void Slots::leave() {
  const std::lock_guard lock(mutex_);
  --connections_;
  changed_.notify_all();
}

bool Slots::become_stream() {
  const std::lock_guard lock(mutex_);
  if (streams_ >= limits_.streams) return false;
  ++streams_;
  --connections_;
  return true;
}

void Slots::end_stream() {
  const std::lock_guard lock(mutex_);
  --streams_;
  ++connections_;
}

bool Slots::wait_until_empty(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return connections_ == 0 && streams_ == 0; });
}

void Slots::wait_begins(int socket) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({.socket = socket, .since = Clock::now()});
}

void Slots::wait_ends(int socket) {
  const std::lock_guard lock(mutex_);
  waiting_.remove_if([&](const Waiting& one) { return one.socket == socket; });
}

bool Slots::take_room(int socket, std::size_t bytes) {
  if (bytes <= limits_.small_body_bytes) return true;
  const auto until = Clock::now() + std::chrono::milliseconds(limits_.body_ms);
  std::unique_lock lock(mutex_);
  while (bytes_ + bytes > limits_.all_bodies_bytes) {
    turn_out(/*with_room=*/true);
    if (changed_.wait_until(lock, until) == std::cv_status::timeout) return false;
  }
  bytes_ += bytes;
  for (Waiting& one : waiting_)
    if (one.socket == socket) one.has_room = true;
  return true;
}

void Slots::give_back(std::size_t bytes) {
  if (bytes <= limits_.small_body_bytes) return;
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
  changed_.notify_all();
}

}  // namespace notesdb::http
