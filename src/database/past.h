// Past: what notesdb itself changed in the last day, as the store of versions knows it.
//
// Saves of other programs are not in it; a version of theirs that a change of ours put aside is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

// One file in one change.
struct PastStep {
  Kept step;
  bool undone = false;  // taken back since
  std::string diff;     // unified; empty where another program has changed the file since
};

// The steps about the files of a row, which need not exist any more, or without row id of all files
// of a database; newest first. Diffs are made where they are asked for.
enum class Diffs { left_out, included };
Result<std::vector<PastStep>> read_past(Workspace& workspace,
                                        const std::string& database_id,
                                        const std::string& row_id,
                                        std::size_t most,
                                        Diffs diffs);

// The changes that have not been taken back, newest first. `steps` are those of FileSystem::history
// for all paths. Of a change and the one that took it back neither stands; one that happens to do
// the opposite of an earlier one, such as deleting what was inserted, is a change like any other.
std::vector<std::string> standing_changes(const std::vector<Kept>& steps);

// Takes back the newest changes that stand, one after the other. Fails with invalid_argument,
// changing nothing, if there are not so many; with the error of the first that cannot be taken
// back, which says how many were before it.
Result<std::vector<Workspace::Undone>> undo_newest(Workspace& workspace, std::int64_t count);

}  // namespace notesdb
