#include "index/rescan.h"

#include <new>
#include <utility>

namespace notesdb {
namespace {

constexpr std::chrono::milliseconds pause{100};
constexpr std::chrono::seconds idle_after{30};

}  // namespace

RescanThread::RescanThread(std::function<void()> look)
    : look_(std::move(look)),
      last_woken_(Clock::now().time_since_epoch().count()),
      thread_([this] { run(); }) {}

RescanThread::~RescanThread() {
  {
    const std::lock_guard guard(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RescanThread::wake() {
  last_woken_ = Clock::now().time_since_epoch().count();
  if (!is_asleep_) return;
  const std::lock_guard guard(mutex_);
  changed_.notify_all();
}

bool RescanThread::is_idle() const {
  return Clock::now() - Clock::time_point(Clock::duration(last_woken_)) > idle_after;
}

void RescanThread::look() {
  try {
    look_();
  } catch (const std::bad_alloc&) {
    return;  // what it looked at is forgotten; there will be memory another time
  }
}

void RescanThread::run() {
  std::unique_lock guard(mutex_);
  while (!is_ending_) {
    if (is_idle()) {
      is_asleep_ = true;
      changed_.wait(guard, [this] { return is_ending_ || !is_idle(); });
      is_asleep_ = false;
    } else if (!changed_.wait_for(guard, pause, [this] { return is_ending_; })) {
      guard.unlock();
      look();
      guard.lock();
    }
  }
}

}  // namespace notesdb
