// Commit work: what stands in the work tree made a commit, and a merge that waits brought to its
// end; the first half of a sync.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"
#include "git/conflicts.h"
#include "git/repository.h"

namespace notesdb {

// Fails with conflict while a rebase, cherry-pick or revert waits to be finished by whoever began
// it.
Result<void> check_state(const Repository& repository);

bool is_merging(const Repository& repository);

// What is undecided in the files that differ from HEAD, whether or not git still knows of a merge.
Result<std::vector<RowConflict>> undecided_work(Workspace& workspace, const Repository& repository);

// Commits a merge that waits, if nothing in it is undecided any more; else what is, and nothing
// changes. Without a merge there is nothing to do.
Result<std::vector<RowConflict>> finish_merge(Workspace& workspace, const Repository& repository);

// The message that a commit of the work tree would have; empty where nothing changed.
Result<std::string> message_of_work(Workspace& workspace, const Repository& repository);

// How many files that commit would hold.
Result<std::size_t> count_work(const Repository& repository);

// Gives git's index everything below the workspace that is somebody's work: not what is ignored,
// other repositories, or what a killed git has left.
Result<void> add_work(const Repository& repository);

// Adds and commits everything below the workspace that is not ignored. The message, or empty where
// nothing had changed. Fails with conflict where a file was emptied that was not empty before.
Result<std::string> commit_work(Workspace& workspace, const Repository& repository);

// Whether the files of the workspace are those of HEAD.
Result<bool> is_committed(const Repository& repository);

}  // namespace notesdb
