// Change: the steps of one apply, from new bytes in memory to rows in their places.
//
//   prepare   every new file is written and synced, out of sight; no lock is held
//   verify      under the lock: every row still holds what was expected
//   commit    the steps are recorded, then taken one by one; all of them, or all taken back
//   sync_folders    the folders are synced
//
// A change of one step needs no intent: its one swap or link is atomic. One of several steps first
// writes them to `.notesdb/intent/current`; FileSystem::recover finishes it if we die.
//
// What was prepared and not used is removed with the object; but where an exception passes between
// the steps (no memory), it is left as if we had died, for the next writer to finish.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "files/file_claim.h"
#include "files/root.h"
#include "files/store.h"
#include "files/waiting_mark.h"

namespace notesdb {

// Everything that can be refused before a change leaves its first trace on the disk: names, sizes,
// and whether each file holds what is expected, as it stands now. The change looks again under the
// lock; this verify only ends a stale change early and cheaply.
//
// Fails as apply does, with the number of the step in the data. Of a few steps it gives the rows
// that it has opened, by step, so that they need not be opened again for what else they have.
Result<std::vector<Descriptor>> check_steps(const Root& root, const std::vector<Step>& steps);

enum class Verdict { clear, being_written, trash_full };
enum class Resumed { finished, dropped };

class Change {
 public:
  Change(const Root& root, FolderCache& kept, Store& store);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  // The steps have passed check_steps, which gave what it opened.
  // `what` is what the change is for, in words.
  Result<void> prepare(const std::vector<Step>& steps,
                       std::string_view what,
                       std::vector<Descriptor> looked_at);
  // Finishes a change found in an intent file; what it made ready lies in the store. If nothing of
  // it had happened and its new files are not whole, there is nothing to finish: `dropped`. Fails
  // with conflict, naming the file, and changes nothing if a file is neither as before nor as
  // after.
  Result<Resumed> resume(const std::vector<JournalEntry>& steps);

  Result<Verdict> verify();
  Result<void> commit();
  void sync_folders();

  bool empty() const { return parts_.empty(); }
  // What the versions will take that it puts aside; known after verify.
  std::uint64_t bytes_put_aside() const;
  const Written& written() const { return written_; }

 private:
  struct Part {
    JournalEntry record;
    std::size_t step = 0;              // of the caller's steps
    bool waits_in_row_folder = false;  // the store is on another file system
    bool has_temp = false;             // something of ours lies at `ready.place`
    bool done = false;
    Ready ready;       // where new bytes wait, and where the old version will be
    Descriptor fresh;  // the new file, open while it has no name (or is being written)
    bool unnamed = false;
  };

  // Preparing.
  Result<void> prepare_step(const Step& step, std::size_t index);
  Result<void> plan_folders(std::string_view path);
  bool makes_folder(std::string_view path) const;
  Result<Descriptor> open_like(const Step& step, std::size_t index);
  Result<void> write_new(const Step& step, const Descriptor& like, Part& part);
  Result<void> open_new(Part& part);
  Result<void> sync_all();
  Result<Place> place_of(std::string_view path);
  Result<void> choose_waiting_place(Part& part);

  // Verifying and committing.
  Result<Verdict> verify_part(Part& part);
  Result<Verdict> verify_free(std::string_view path, const Place* same_as);
  Result<void> record();
  Result<void> take(Part& part);
  Result<void> take_create(Part& part);
  Result<void> take_claimed(Part& part);
  Result<void> take_folder(Part& part);
  void keep_elsewhere(Part& part);

  // Taking back.
  void take_back_all();
  bool take_back(Part& part);  // false: it is as the change left it
  bool take_back_claimed(Part& part);

  // Resuming what a crash left.
  enum class State { before, after, not_ready, strange };
  Result<State> state_of(Part& part);
  Result<void> adopt(const std::vector<JournalEntry>& steps);
  Result<void> limit_mode(const Part& part);

  const Root& root_;
  FolderCache& kept_;
  Store& store_;
  std::vector<Part> parts_;
  std::vector<Descriptor> looked_at_;  // by step, where check_steps left a row open
  // Of the rows, by path: the same ones from the first step to the last.
  std::map<std::string, std::shared_ptr<const OpenFolder>, std::less<>> folders_;
  Written written_;
  WaitingMark waiting_;
  bool recorded_ = false;
  bool is_between_steps_ = false;  // from the intent to the last step, or until all are taken back
  bool sync_each_ = true;
  FileClaim only_claim_;  // of a change of one step: held from verify to commit
};

}  // namespace notesdb
