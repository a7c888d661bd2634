// Threads: work beside the caller's, and a lock that forgets what an exception left half changed.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include <pthread.h>

namespace notesdb {

// Beside: runs something on a thread beside the caller.
//
//   Beside other([&] { work(1); });
//   work(0);
//   other.join();                     // throws what the other one threw
//
// Where the system allows no thread nothing is run, so both must be able to do all of it.
//
// A std::thread frees memory in the thread itself, and for that the allocator sets up a heap of the
// thread's own, which takes longer than a short pass.
template <typename Run>
class Beside {
 public:
  explicit Beside(Run run)
      : run_(std::move(run)), runs_(::pthread_create(&thread_, nullptr, start, this) == 0) {}
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside() { wait(); }

  void join() {
    wait();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  static void* start(void* self) {
    auto& beside = *static_cast<Beside*>(self);
    try {
      beside.run_();
    } catch (...) {
      beside.thrown_ = std::current_exception();
    }
    return nullptr;
  }
  void wait() {
    if (std::exchange(runs_, false)) ::pthread_join(thread_, nullptr);
  }

  Run run_;
  std::exception_ptr thrown_;
  pthread_t thread_{};
  bool runs_;
};

// ForgettingLock: a lock of something that remembers. Where an exception passes it, mostly because
// memory ran out, what is remembered may be half changed, and is forgotten.
//
//   const ForgettingLock lock(memory);      // holds memory.mutex()
//   memory.catch_up();                      // throws: memory.forget() is called, then unlocked
template <typename Memory>
class ForgettingLock {
 public:
  explicit ForgettingLock(Memory& memory) : memory_(memory), lock_(memory.mutex()) {}
  ForgettingLock(const ForgettingLock&) = delete;
  ForgettingLock& operator=(const ForgettingLock&) = delete;
  ~ForgettingLock() {
    if (std::uncaught_exceptions() > before_) memory_.forget();
  }

 private:
  Memory& memory_;
  int before_ = std::uncaught_exceptions();
  std::lock_guard<std::mutex> lock_;
};

}  // namespace notesdb
