// Recorded renames: which row got which name, as those said who renamed it.
//
//   Notesdb-Renamed: notes/row-003.md => notes/plan.md       the last lines of a commit's message
//
// git guesses renames from how alike two files are, and takes a row that was deleted for a new one
// made of the same template. A merge of ours follows what was recorded and nothing else. `sync`
// writes it down when it commits: from the journal of `notesdb rename`, and when it gives rows
// other numbers itself.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "git/repository.h"

namespace notesdb {

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

// What became of the rows of one commit until another that descends from it. A path is no row: two
// clones that have not met make two rows under one name, and each may rename its own.
struct NamesSince {
  std::map<std::string, std::string> renamed;  // what they are called now, by what they were
  std::set<std::string, std::less<>> remade;   // names under which another row lies now
  std::map<std::string, std::set<std::string>> given;  // objects of all files ever made, by path
};

// From `base` (empty: from the first commit) to `side`, as its commits tell it.
Result<NamesSince> names_since(const Repository& repository,
                               const std::string& base,
                               const std::string& side);

}  // namespace notesdb
