#include "core/budget.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "core/number_text.h"

namespace notesdb {

namespace {

constexpr std::chrono::milliseconds between_glances{20};

Error out_of_time(std::chrono::milliseconds time) {
  return {ErrorCode::limit_exceeded,
          "the question was stopped after " + duration_text(time) +
              " (query_timeout); narrow the filters, or raise query_timeout in notesdb.yaml",
          Map{{"setting", "query_timeout"}}};
}

Error out_of_memory(std::uint64_t memory) {
  return {ErrorCode::limit_exceeded,
          "the question needs more than " + size_text(memory) +
              " (query_memory); narrow the filters, ask for fewer rows, or raise query_memory in "
              "notesdb.yaml",
          Map{{"setting", "query_memory"}}};
}

}  // namespace

thread_local constinit Budget* Budget::current = nullptr;
thread_local constinit CallerWatch* CallerWatch::current = nullptr;

Budget::Budget(const Limits& limits)
    : limits_(limits), end_(Clock::time_point::max()), outer_(std::exchange(current, this)) {
  const auto now = Clock::now();
  next_glance_ = now + between_glances;
  const bool is_bounded = limits.time < std::chrono::hours{24 * 365};
  if (is_bounded) end_ = now + limits.time;
}

void Budget::check() {
  const bool is_cancelled = limits_.cancelled != nullptr && limits_.cancelled->load();
  const auto now = Clock::now();
  bool has_left = false;
  if (!is_cancelled && CallerWatch::current != nullptr && now >= next_glance_) {
    next_glance_ = now + between_glances;
    has_left = CallerWatch::current->has_left_();
  }
  if (is_cancelled || has_left)
    throw BudgetSpent({ErrorCode::cancelled, "the call was cancelled", Map{}});
  if (now >= end_) throw BudgetSpent(out_of_time(limits_.time));
}

void Budget::count(std::uint64_t bytes) {
  taken_ += bytes;
  if (taken_ > limits_.memory) throw BudgetSpent(out_of_memory(limits_.memory));
}

BudgetPause::BudgetPause() : paused_(std::exchange(Budget::current, nullptr)) {
  if (paused_ != nullptr) begun_ = Budget::Clock::now();
}

BudgetPause::~BudgetPause() {
  Budget::current = paused_;
  if (paused_ == nullptr || paused_->end_ == Budget::Clock::time_point::max()) return;
  paused_->end_ += Budget::Clock::now() - begun_;
}

CallerWatch::CallerWatch(std::function<bool()> has_left)
    : has_left_(std::move(has_left)), outer_(std::exchange(current, this)) {}

CallerWatch::~CallerWatch() {
  current = outer_;
}

namespace {

constexpr std::size_t reserve_bytes = std::size_t{64} << 10U;

std::atomic<void*> reserve{nullptr};

void give_back() {
  void* const kept = reserve.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void keep_memory_reserve() {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  std::set_new_handler(give_back);
  void* const fresh = std::malloc(reserve_bytes);
  void* expected = nullptr;
  if (!reserve.compare_exchange_strong(expected, fresh)) std::free(fresh);
}

}  // namespace notesdb
