// Row log: the commits that changed some files, as git tells them, through renames and merges.
//
// A side that a merge decided against is told all the same, and what was done to a row under its
// old name on one side while the other renamed it. A name that was given to another row later is
// another row. Of a merge only those files are told that are as on none of its sides.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "git/repository.h"

namespace notesdb {

struct LoggedCommit {
  std::string commit;
  std::string author;
  std::string date;  // RFC 3339
  std::string message;
  std::size_t sides = 1;            // how many commits it joined
  std::vector<FileChange> changes;  // of a merge: each file once for each side, in that order
};

// The commits that changed what lies below a folder, newest first; about `most`, 0 for all.
Result<std::vector<LoggedCommit>> log_folder(const Repository& repository,
                                             const std::string& folder,
                                             std::size_t most);

// The same of one file under all its names.
Result<std::vector<LoggedCommit>> log_file(const Repository& repository,
                                           const std::string& path,
                                           std::size_t most);

}  // namespace notesdb
