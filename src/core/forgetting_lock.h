// ForgettingLock: a lock of something that remembers. Where an exception passes it, mostly because
// memory ran out, what is remembered may be half changed, and is forgotten.
//
//   const ForgettingLock lock(memory);      // holds memory.mutex()
//   memory.catch_up();                      // throws: memory.forget() is called, then unlocked
#pragma once

#include <exception>
#include <mutex>

namespace notesdb {

template <typename Memory>
class ForgettingLock {
 public:
  explicit ForgettingLock(Memory& memory) : memory_(memory), lock_(memory.mutex()) {}
  ForgettingLock(Memory& memory, std::try_to_lock_t how)
      : memory_(memory), lock_(memory.mutex(), how) {}
  ForgettingLock(const ForgettingLock&) = delete;
  ForgettingLock& operator=(const ForgettingLock&) = delete;
  ~ForgettingLock() {
    if (lock_.owns_lock() && std::uncaught_exceptions() > before_) memory_.forget();
  }

  bool owns_lock() const { return lock_.owns_lock(); }

 private:
  Memory& memory_;
  int before_ = std::uncaught_exceptions();
  std::unique_lock<std::mutex> lock_;
};

}  // namespace notesdb
