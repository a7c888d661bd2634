// Renumber: rows that two clones made under one id, told apart before they meet.
//
// Of two rows with one id, the one that others may have seen (it was pushed) keeps it; ours gets a
// new one, and every reference to it in this workspace is changed with it, all in one change and
// one commit. So does a row of ours that was deleted before it was pushed, where something still
// names it: a reference that names nothing is not to name their row. Counter ids go on above the
// highest number on either side; other ids get "-2".
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "files/file_system.h"
#include "git/repository.h"

namespace notesdb {

struct Renumbered {
  std::string database_id;
  std::string old_id;
  std::string new_id;
  std::vector<std::string> changed;  // paths of files that named it
};

enum class RenumberMode { plan, write };

// Compares HEAD with `upstream` since they parted. The caller has committed everything. Fails with
// conflict if a file changed meanwhile; nothing is half done then.
Result<std::vector<Renumbered>> renumber_rows(Workspace& workspace,
                                              const Repository& repository,
                                              const std::string& upstream,
                                              RenumberMode mode,
                                              Receipt& receipt);

// The id that a row gets where `old_id` is taken; `taken` are all ids on both sides.
std::string free_row_id(const RowIdRule& rule,
                        const std::string& old_id,
                        const std::vector<std::string>& taken);

// Recorded renames: which row got which name, as those said who renamed it.
//
//   Notesdb-Renamed: notes/row-003.md => notes/plan.md       the last lines of a commit's message
//
// git guesses renames from how alike two files are, and takes a row that was deleted for a new one
// made of the same template. A merge of ours follows what was recorded and nothing else. `sync`
// writes it down when it commits: from the journal of `notesdb rename`, and when it gives rows
// other numbers itself.

// Paths from the workspace root.
struct RecordedRename {
  std::string old_path;
  std::string new_path;
};

// The lines for a commit's message; empty where there are none.
std::string rename_trailers(const Repository& repository,
                            const std::vector<RecordedRename>& renames);

// Of the files that a commit is to take away and to add, those that `notesdb rename` made of each
// other.
std::vector<RecordedRename> renames_of_work(const FileSystem& files,
                                            const std::vector<FileChange>& changes);

// What the commits of `side` since `base` say, several in a row taken together: of files that
// `base` has and `side` has no more, under names that `side` has and `base` has not.
Result<std::vector<RecordedRename>> renames_since(const Repository& repository,
                                                  const std::string& base,
                                                  const std::string& side);

}  // namespace notesdb
