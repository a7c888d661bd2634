#include "database/commit.h"

#include <utility>

#include "core/budget.h"
#include "database/diff.h"
#include "files/failure.h"

namespace notesdb {
namespace {

constexpr int max_attempts = 1000;

// Another writer was faster. A plan made from the files as they are now says what that means.
bool was_overtaken(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists ||
         error.code == ErrorCode::unknown_row;
}

class Commit {
 public:
  Commit(FileSystem& files, WriteMode mode, const MakePlan& make, Receipt& receipt)
      : files_(files), mode_(mode), make_(make), receipt_(receipt) {}

  Result<Written> run() {
    for (int attempt = 0;; ++attempt) {
      auto written = try_once();
      if (written) return written;
      const bool is_final = !applied_ || attempt >= max_attempts ||
                            !was_overtaken(written.error()) || is_stuck(written.error());
      if (is_final) return with_warnings(std::move(written).error(), untold_.warnings());
      untold_.keep(written.error());
    }
  }

 private:
  Result<Written> try_once() {
    applied_ = false;
    HeldLock lock;
    auto plan = first_plan(lock);
    if (!plan) return plan.error();
    if (mode_ != WriteMode::write || (plan->steps.empty() && plan->is_whole)) {
      receipt_.diff = std::move(plan->diff);
      return told(Written{}, *plan);
    }
    if (plan->needs_lock && !locks_first_) {
      if (auto held = hold(lock); !held) return held.error();
      if (!plan->is_whole || !plan->holds || !plan->holds()) {
        plan = make_(Stage::under_lock);
        if (!plan) return plan.error();
        if (plan->steps.empty()) return told(Written{}, *plan);
      }
    }
    applied_ = !plan->is_fixed;
    // Whoever was overtaken in more than one file does not race again.
    locks_first_ = plan->needs_lock || plan->steps.size() > 1;
    Budget::look();
    auto written = files_.apply(plan->steps, plan->what);
    if (!written) return written;
    receipt_.change = written->change;
    receipt_.durable = written->durable;
    return told(*std::move(written), *plan);
  }

  Result<Plan> first_plan(HeldLock& lock) {
    if (!locks_first_) {
      return make_(mode_ == WriteMode::dry_run ? Stage::preview : Stage::before_lock);
    }
    if (auto held = hold(lock); !held) return held.error();
    return make_(Stage::under_lock);
  }

  Result<void> hold(HeldLock& lock) {
    auto held = files_.lock();
    if (!held) return held.error();
    lock = *std::move(held);
    return {};
  }

  Written told(Written written, const Plan& plan) {
    auto& warnings = receipt_.warnings;
    const auto add = [&](const std::vector<std::string>& more) {
      warnings.insert(warnings.end(), more.begin(), more.end());
    };
    add(untold_.warnings());
    add(plan.warnings);
    add(written.notes);
    return written;
  }

  // What stands in the way of a new file twice is nothing that a plan can see.
  bool is_stuck(const Error& error) {
    if (error.code != ErrorCode::already_exists) return false;
    return std::exchange(in_the_way_, error.message) == error.message;
  }

  FileSystem& files_;
  WriteMode mode_;
  const MakePlan& make_;
  Receipt& receipt_;
  UntoldWarnings untold_;
  bool applied_ = false;  // the last failure is one of the disk, and another plan may do better
  bool locks_first_ = false;
  std::string in_the_way_;
};

}  // namespace

void Plan::create(const std::string& path, std::string bytes) {
  if (stage_ == Stage::preview) diff += unified_diff(path, std::nullopt, bytes);
  steps.push_back(Step::create(path, std::move(bytes)));
}

void Plan::replace(const std::string& path,
                   Etag etag,
                   const std::string& before,
                   std::string after) {
  if (stage_ == Stage::preview) diff += unified_diff(path, before, after);
  steps.push_back(Step::replace(path, etag, std::move(after)));
}

Result<Written> commit(FileSystem& files, WriteMode mode, const MakePlan& make, Receipt& receipt) {
  return Commit(files, mode, make, receipt).run();
}

Error unexpected_count(std::string_view what, std::int64_t rows, std::int64_t expected) {
  return Error{ErrorCode::conflict,
               "CONFLICT: the " + std::string(what) + " " + std::to_string(rows) +
                   " rows and expect_count is " + std::to_string(expected) +
                   "; nothing was changed",
               Map{}}
      .with("rows", rows);
}

}  // namespace notesdb
