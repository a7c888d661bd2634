#include "core/progress.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace notesdb {

namespace {

constexpr std::int64_t between_reports_ms = 50;
constexpr std::int64_t between_signs_ms = 500;  // that an unmeasured part goes on

std::int64_t now_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

thread_local constinit ProgressScope* ProgressScope::current = nullptr;

ProgressScope::ProgressScope(const ProgressReport& report)
    : report_(report), outer_(std::exchange(current, report ? this : nullptr)) {}

void ProgressScope::tell() {
  const std::int64_t now = now_ms();
  const bool is_last = done_ == steps_;
  if (is_last || now - told_at_ms_ >= between_reports_ms) tell_now(now);
}

void ProgressScope::tell_now(std::int64_t now_ms) {
  told_at_ms_ = now_ms;
  const std::string what = stage_.empty() || what_.empty() ? stage_ + what_ : stage_ + ": " + what_;
  report_(static_cast<double>(before_ + done_), static_cast<double>(before_ + steps_), what);
}

ProgressStage::ProgressStage(std::string what) : scope_(ProgressScope::current) {
  if (scope_ != nullptr) outer_ = std::exchange(scope_->stage_, std::move(what));
}

ProgressStage::~ProgressStage() {
  if (scope_ != nullptr) scope_->stage_ = std::move(outer_);
}

void Progress::begin(std::uint64_t steps, std::string_view what) {
  ProgressScope* const scope = ProgressScope::current;
  if (scope == nullptr) return;
  scope->before_ += scope->steps_;
  scope->steps_ = steps;
  scope->done_ = 0;
  scope->what_ = what;
}

void Progress::begin(std::string_view what) {
  ProgressScope* const scope = ProgressScope::current;
  if (scope == nullptr) return;
  begin(2, what);  // one for its beginning, one for its end
  scope->done_ = 1;
  scope->tell_now(now_ms());
}

void Progress::continues() {
  ProgressScope* const scope = ProgressScope::current;
  if (scope == nullptr || scope->steps_ == 0) return;
  const std::int64_t now = now_ms();
  if (now - scope->told_at_ms_ < between_signs_ms) return;
  ++scope->done_;
  ++scope->steps_;
  scope->tell_now(now);
}

void Progress::step_in_scope(std::uint64_t count) {
  ProgressScope& scope = *ProgressScope::current;
  scope.done_ = std::min(scope.steps_, scope.done_ + count);
  scope.tell();
}

}  // namespace notesdb
