// JournalGc: forgetting earlier changes and the versions they put aside: the trash.
//
// A change is kept for `keep_us`. Where versions and journal grow towards `bytes`, changes whose
// versions we wrote ourselves are forgotten sooner, the oldest first, and only those: a change that
// put aside the oldest version of a path, or one that another program wrote, stays whole until its
// time is over, and so do the newest ten, however large. So nobody can push a deleted row out of
// the trash by writing a lot; where it is full of what must be kept, apply() refuses instead.
//
// An editor may have held a version open while it was put aside, and saved into it later. So each
// version is hashed before it goes, and one that was written to becomes a conflict copy beside its
// row.
//
// Works without the write lock, in steps as short as its caller wants, and takes the lock only to
// put the shorter journal in the place of the longer one. Of several processes one does it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_system.h"
#include "files/journal.h"
#include "files/root.h"
#include "files/store.h"

namespace notesdb {

struct TrashLimits {
  std::int64_t keep_us = std::int64_t{30} * 24 * 60 * 60 * 1'000'000;
  std::uint64_t bytes = std::uint64_t{1} << 30U;
};

// How much is kept, versions and journal together, as far as the journal's two ends tell.
struct TrashState {
  std::uint64_t kept = 0;
  bool is_gc_due = false;
  bool is_collected = false;  // nothing has come since it was collected last
};
// Under the write lock, as all that is asked of the journal.
TrashState trash_state(Store& store, const TrashLimits& limits, std::int64_t now_us);

class JournalGc {
 public:
  using Clock = std::chrono::steady_clock;
  // Takes the write lock, or fails.
  using Lock = std::function<Result<HeldLock>()>;

  // As if the clock said `now_us`.
  JournalGc(const Root& root,
            std::shared_ptr<Store> store,
            const TrashLimits& limits,
            std::int64_t now_us);

  const Store* store() const { return store_.get(); }

  // Continues until it is done, or until `deadline` has passed. True: nothing is left to do, or
  // somebody else is at it, or it cannot be done, as where the store or its journal is not ours.
  bool run(const Lock& lock, Clock::time_point deadline);

 private:
  // A change as the journal's text has it.
  struct Entry {
    std::string_view id;
    std::int64_t time_us = 0;  // not later than that of the entry after it
    std::string_view text;     // its lines, but for a later `void`
    std::uint64_t bytes = 0;   // of its versions
    bool is_ours = false;      // all versions that it put aside were written by us
    bool is_pinned = false;
    bool is_void = false;
    bool is_forgotten = false;
  };
  class Pins;

  bool begin();
  bool claim();
  void read_entries();
  void weigh_entries();
  void choose();
  void forget(const JournalEntry& step) const;
  void forget_strays() const;
  bool forget_next();
  void finish(const Lock& lock);
  int write_rest() const;
  std::uint64_t bytes_of(const PastChange& change) const;

  const Root& root_;
  std::shared_ptr<Store> store_;
  TrashLimits limits_;
  std::int64_t now_us_;
  Descriptor fresh_;  // the new journal, locked: the right to collect
  StatKey journal_;   // the one that was read
  std::string text_;
  std::uint64_t read_from_ = 0;  // of the journal
  std::vector<Entry> entries_;   // oldest first
  std::size_t next_ = 0;         // the entry to look at next
  std::optional<PastChange> going_;
  std::size_t next_step_ = 0;  // of `going_`
  bool has_begun_ = false;
};

}  // namespace notesdb
