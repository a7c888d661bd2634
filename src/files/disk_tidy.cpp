#include <string>

#include "files/change.h"
#include "files/change_id.h"
#include "files/disk.h"
#include "files/waiting_mark.h"

namespace notesdb {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Nobody waits for a collection; it comes again.
constexpr milliseconds lock_patience(100);

std::string in_mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t tenth = (std::uint64_t{1} << 20U) / 10;
  const std::uint64_t tenths = (bytes + tenth / 2) / tenth;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

Error trash_is_full(const TrashLimits& limits, std::uint64_t kept) {
  constexpr std::int64_t day_us = std::int64_t{24} * 60 * 60 * 1'000'000;
  Error error{ErrorCode::limit_exceeded,
              "the trash is full: " + in_mebibytes(kept) +
                  " of earlier versions are kept for undo, and trash_bytes allows " +
                  in_mebibytes(limits.bytes) +
                  "; nothing was changed. Raise trash_bytes, or lower trash_days (" +
                  std::to_string(limits.keep_us / day_us) + "), in notesdb.yaml"};
  return std::move(error)
      .with("setting", "trash_bytes")
      .with("kept", static_cast<std::int64_t>(kept))
      .with("limit", static_cast<std::int64_t>(limits.bytes));
}

}  // namespace

Result<Verdict> Disk::find_place(const Change& change,
                                 const std::vector<Step>& steps,
                                 Store& store) {
  if (change.bytes_put_aside() == 0) return Verdict::clear;
  const TrashState state = trash_state(store, trash_, now_us());
  // Taking back is what all this is kept for.
  const std::uint64_t factor = steps.front().takes_back.empty() ? 1 : 2;
  if (state.kept <= trash_.bytes * factor) return Verdict::clear;
  if (state.is_collected) return trash_is_full(trash_, state.kept);
  is_gc_due_ = true;
  return Verdict::trash_full;
}

bool Disk::tidy(milliseconds budget) {
  if (!is_gc_due_ && !was_written_) return true;
  const std::lock_guard<std::mutex> alone(tidy_mutex_);
  Result<std::shared_ptr<Store>> made = store();
  if (!made) return true;
  if (!(*made)->is_ours()) {  // nothing in it says what may go
    is_gc_due_ = false;
    was_written_ = false;
    return true;
  }
  const Clock::time_point deadline = Clock::now() + budget;
  const JournalGc::Lock lock = [&] { return lock_.take((*made)->base(), lock_patience); };
  if (was_written_.exchange(false) && !clear_abandoned(**made, deadline)) was_written_ = true;
  if (!is_gc_due_) return !was_written_;
  if (gc_ == nullptr || gc_->store() != made->get())
    gc_ = std::make_unique<JournalGc>(root_, *made, trash_, now_us());
  if (!gc_->run(lock, deadline)) return false;
  gc_.reset();
  is_gc_due_ = false;
  return !was_written_;
}

}  // namespace notesdb
