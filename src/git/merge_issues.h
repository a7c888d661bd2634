// Merge issues: what is wrong since two sides met, and was wrong on neither.
//
//   ours: row-001 takes the unique slug 'a'    theirs: row-002 takes it too
//   ours: row-003 names row-004                theirs: row-004 is deleted
//
// Rows merge one by one, so constraints over several rows are looked at afterwards, before anybody
// else gets the merge. An error that a side had before it met the other is not told here: it was
// there, `notesdb check` shows it, and holding it back would hold back everything else with it.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "database/workspace.h"
#include "git/repository.h"

namespace notesdb {

// The errors of the work tree that the merges between `upstream` and HEAD made. Asked of commits
// and files alone, so the answer is the same however often a sync is begun again; a push by hand
// makes upstream HEAD, and then there are none.
Result<std::vector<Issue>> issues_of_merges(Workspace& workspace,
                                            const Repository& repository,
                                            const std::string& upstream);

}  // namespace notesdb
