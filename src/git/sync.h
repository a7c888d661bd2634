// Sync: one clone brought in step with all others through a remote repository.
//
//   commit     what changed in the workspace, with a message that names rows and fields
//   fetch      the branch of the remote
//   renumber   rows that both sides made under one id (renumber.h)
//   merge      by field, with the driver of setup.h
//   push       refused if somebody was faster: then all of it again, a bounded number of times
//
// Every step is one run of the user's git, and leaves an ordinary git state: a sync that is killed
// is gone on with by the next one. One that is cancelled ends between two steps, or while it
// fetches or pushes, and says what it had done. Nothing is ever forced. What the merge could not decide stops
// the sync before the push, with the conflicts in the work tree, all of both sides in them; so does
// an error in the rows that neither side had before they met.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "database/workspace.h"
#include "git/renumber.h"
#include "git/repository.h"

namespace notesdb {

struct SyncRequest {
  std::string remote;  // empty: the branch's own, else origin
  std::string branch;  // on the remote; empty: the branch's own, else of the same name
  bool dry_run = false;
  bool strict = false;  // an error that the merge made stops before the push
};

struct SyncReport : Receipt {  // `change` is that of the last renumbering
  std::string remote{};
  std::string branch{};
  std::vector<std::string> set_up{};     // what was installed for merging
  std::vector<std::string> put_back{};   // files that a killed merge had taken away or emptied
  std::vector<std::string> committed{};  // the first lines of the messages
  std::vector<Renumbered> renumbered{};  // also by a sync before that could not tell
  std::uint64_t untold = 0;              // of the record that says so, for forget_told_rows()
  // Errors that the merge made and neither side had, such as a link to a row that the other
  // deleted. They are pushed, so that everybody sees them, and can fix them.
  std::vector<Issue> issues{};
  std::size_t changed_files = 0;  // of a dry run: what would be committed
  std::int64_t received = 0;      // commits that were not here
  std::int64_t sent = 0;          // commits that were not there
  std::int64_t tries = 0;
  std::string stopped{};  // the step that a cancelled sync had come to, where steps before it count
};

// Fails with conflict, listing the fields or errors, where a person has to decide; busy if other
// clones were faster each time, or another sync is running here; io_error in git's words.
Result<SyncReport> sync_workspace(Workspace& workspace, const SyncRequest& request);

// Once a caller has the answer, with its `untold`: until then the next sync tells it again.
void forget_told_rows(const std::string& root, std::uint64_t untold);

}  // namespace notesdb
