// Changed paths: the files of a workspace that differ from the last commit, for a check that looks
// only at what is about to be committed.
#pragma once

#include <set>
#include <string>

#include "core/result.h"
#include "git/repository.h"

namespace notesdb {

enum class ChangedSince {
  head,   // anything that differs from the last commit, files unknown to git among it
  index,  // only what is staged
};

// Paths from the workspace root; what was deleted is not among them. A repository without a commit
// has everything changed.
Result<std::set<std::string, std::less<>>> changed_paths(const Repository& repository,
                                                         ChangedSince since);

}  // namespace notesdb
