// Setup: what makes git merge the rows of a clone by field.
//
//   .git/config             [merge "notesdb"] driver = '/usr/bin/notesdb' merge-file %O %A %B ...
//   .git/info/attributes    # begin notesdb
//                           /stories/*.md merge=notesdb      a line for each kind of row file
//                           # end notesdb
//   .git/hooks/pre-commit   notesdb check --changed          only where it is asked for
//
// All of it belongs to this clone alone: nothing versioned changes, and a clone without it merges
// the same files by lines, as git always did. Removing leaves everything else as it was.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"
#include "git/repository.h"

namespace notesdb {

enum class SetupKind { install, remove };

struct SetupRequest {
  SetupKind kind = SetupKind::install;
  bool hook = false;     // the pre-commit hook too; removing always takes ours away
  bool dry_run = false;  // say what would change
};

// One sentence for each thing that changed; none: all was as it should be. Fails with
// already_exists where somebody else's pre-commit hook stands.
Result<std::vector<std::string>> set_up_git(const Workspace& workspace,
                                            const Repository& repository,
                                            const SetupRequest& request);

}  // namespace notesdb
