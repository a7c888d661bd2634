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
