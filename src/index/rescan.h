// RescanThread: a thread that looks at a little of everything ten times a second, as long as somebody
// asks questions; half a minute after the last one it sleeps until it is woken.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace notesdb {

class RescanThread {
 public:
  explicit RescanThread(std::function<void()> look);
  ~RescanThread();
  RescanThread(const RescanThread&) = delete;
  RescanThread& operator=(const RescanThread&) = delete;

  // A question was asked.
  void wake();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void look();
  bool is_idle() const;

  std::function<void()> look_;
  std::atomic<Clock::rep> last_woken_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::atomic<bool> is_asleep_{false};
  std::thread thread_;
};

}  // namespace notesdb
