// Tracked store: `.notesdb` within git, where it must not be.
//
// It is what notesdb keeps for one machine: unfinished changes, undo, a lock. Whoever brings one
// along with a commit would have it read as our own, so a sync neither commits nor merges one.
#pragma once

#include <string>

#include "core/result.h"
#include "git/repository.h"

namespace notesdb {

// Fails with path_not_allowed, naming the path and the command that takes it out, where a
// `.notesdb` is tracked here: in the index below the workspace, or anywhere in HEAD.
Result<void> refuse_tracked_store(const Repository& repository);

// The same where a commit, since it parted from HEAD, adds one or changes it.
Result<void> refuse_incoming_store(const Repository& repository, const std::string& commit);

}  // namespace notesdb
