// Budget: what one question may use: time, memory, and the patience of whoever asked.
//
//   const Budget budget({.time = 30s, .memory = 1 << 30, .cancelled = flag});
//   ...
//   Budget::look();           // between rows: throws BudgetSpent where the time is over
//   Budget::take(bytes);      // before memory that grows with the data is taken
//
// A budget belongs to the thread that makes it, until it ends; one that is made within another
// stands in its place. Where there is none, nothing is bounded: look() and take() return at once.
// BudgetSpent passes work that is not protected by a lock of something that remembers, and is
// caught by who handed that work out (database/, search/).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include "core/error.h"

namespace notesdb {

class BudgetSpent : public std::exception {
 public:
  explicit BudgetSpent(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  // limit_exceeded, naming the setting; or cancelled.
  const Error& error() const { return error_; }

 private:
  Error error_;
};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::milliseconds time = std::chrono::milliseconds::max();
    std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
    const std::atomic<bool>* cancelled = nullptr;
  };
  explicit Budget(const Limits& limits);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() { current = outer_; }

  static void look() {
    if (current != nullptr) current->check();
  }
  // The same for a loop whose steps cost next to nothing: every 256th call looks.
  static void look_rarely(std::uint32_t& calls) {
    if ((++calls & 255U) == 0) look();
  }
  static void take(std::uint64_t bytes) {
    if (current != nullptr) current->count(bytes);
  }

 private:
  friend class BudgetPause;
  void check();
  void count(std::uint64_t bytes);

  static thread_local constinit Budget* current;
  Limits limits_;
  Clock::time_point end_;
  Clock::time_point next_glance_;  // at whether the caller is still there
  std::uint64_t taken_ = 0;
  Budget* outer_ = nullptr;
};

// Work for everybody that a question happens to do, such as reading changed files: it is not
// bounded, and its time is not the question's.
class BudgetPause {
 public:
  BudgetPause();
  BudgetPause(const BudgetPause&) = delete;
  BudgetPause& operator=(const BudgetPause&) = delete;
  ~BudgetPause();

 private:
  Budget* paused_;
  Budget::Clock::time_point begun_;
};

// Whether the caller of this thread has left, which ends its questions like a cancellation. Asked
// by budgets that are made while this stands, 50 times a second at most.
class CallerWatch {
 public:
  explicit CallerWatch(std::function<bool()> has_left);
  CallerWatch(const CallerWatch&) = delete;
  CallerWatch& operator=(const CallerWatch&) = delete;
  ~CallerWatch();

 private:
  friend class Budget;
  static thread_local constinit CallerWatch* current;
  std::function<bool()> has_left_;
  CallerWatch* outer_;
};

// The memory reserve is put by for the moment when there is no more: what failed for want
// of memory has to be taken down and told, and both want some: even a JSON
// value is freed by way of a list. The first request that is refused gives the reserve back to the
// allocator and is tried again; what is refused after that throws std::bad_alloc as ever.
//
// Puts the reserve by if there is none, which costs nothing if there is: at the start, and before
// each request that a server answers. Where there is not enough memory for it there is none.
void keep_memory_reserve();

}  // namespace notesdb
