// Merge commit: another commit merged into HEAD by git, rows by field.
//
// It is one `git merge`: its checks of the work tree, its hooks, its signing and what it leaves
// after where something is undecided. Where many rows were changed on both sides they are merged
// ahead, in this process, and git takes the outcome through a merge strategy of ours, which is a
// script of a few lines that hands git's own strategy those trees.
#pragma once

#include <string>

#include "core/result.h"
#include "database/workspace.h"
#include "git/repository.h"

namespace notesdb {

struct CommitToMerge {
  std::string commit;
  std::string name;     // how conflict markers call it
  std::string message;  // of the merge
};

// How git ended. The caller holds the workspace's lock and has committed everything.
Result<ProgramEnd> merge_commit(Workspace& workspace,
                                const Repository& repository,
                                const CommitToMerge& other);

}  // namespace notesdb
