#include "cli/waiting.h"

#include <chrono>
#include <system_error>

#include <unistd.h>

namespace notesdb::cli {

namespace {

constexpr std::string_view erased = "\r\x1b[K";

bool is_watched(const Session& session) {
  return &session.around == &own_environment() && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Waiting::Waiting(const Session& session, const std::string& command) {
  if (!is_watched(session)) return;
  try {
    thread_ = std::thread([this, command] { count(command); });
  } catch (const std::system_error&) {
    // Then nobody is told; the work is what matters.
  }
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void Waiting::count(const std::string& command) {
  std::unique_lock guard(mutex_);
  int seconds = 0;
  while (!ending_.wait_for(guard, std::chrono::seconds(1), [this] { return over_; })) {
    ++seconds;
    const std::string line = "notesdb " + command + ": " + std::to_string(seconds) + " s";
    write_to(Stream::err, std::string(erased) + line);
  }
  if (seconds > 0) write_to(Stream::err, erased);
}

}  // namespace notesdb::cli
