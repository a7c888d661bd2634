// Merge ahead: the rows that both sides changed, merged in this process before git merges the rest.
//
// git starts the driver of setup.h once for each such row, which is long for a thousand. So two
// trees are made for git to merge in place of its own: in `base` those rows are as ours, in
// `theirs` as merged, and git finds them changed on one side. Everything else in the two trees is
// as it was: a row left in conflict, a schema, a row that was renamed still go through the driver.
//
// Nothing but objects is written, and they are of no use to anybody else: no branch, index or file
// of the user changes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/result.h"
#include "database/workspace.h"
#include "git/repository.h"

namespace notesdb {

struct TreesToMerge {
  std::string commit;  // where the two sides parted
  std::string base;    // trees, to be merged in place of those of `commit` and of theirs
  std::string theirs;
  std::size_t rows = 0;
};

// Merges the rows that HEAD and `upstream` both changed since they parted, under the names that
// were recorded for them (recorded_renames.h). None where that would not be worth while: few rows,
// and no names (the setting notesdb.mergeAhead of git says how many, 16 without it), or sides that
// parted at more than one commit. A failure is no harm either: git merges alone then.
Result<std::optional<TreesToMerge>> merge_ahead(Workspace& workspace,
                                                const Repository& repository,
                                                const std::string& upstream);

}  // namespace notesdb
