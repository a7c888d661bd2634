// Renumber: rows that two clones made under one id, told apart before they meet.
//
// Of two rows with one id, the one that others may have seen (it was pushed) keeps it; ours gets a
// new one, and every reference to it in this workspace is changed with it, all in one change and
// one commit. Counter ids go on above the highest number on either side; other ids get "-2". What
// still names a row of ours that was deleted before it was pushed gets "-deleted": a reference that
// names nothing is not to name their row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "git/repository.h"
#include "git/row_difference.h"

namespace notesdb {

struct Renumbered {
  std::string database_id;
  std::string old_id;
  std::string new_id;
  std::vector<std::string> changed;  // paths of files that named it
  std::string old_path = {};
  std::string new_path = {};  // empty where the row is gone, and only what named it was changed

  friend bool operator==(const Renumbered&, const Renumbered&) = default;
};

enum class RenumberMode { plan, write };

// Compares HEAD with `upstream` since they parted. The caller has committed everything. Fails with
// conflict if a file changed meanwhile; nothing is half done then.
Result<std::vector<Renumbered>> renumber_rows(Workspace& workspace,
                                              const Repository& repository,
                                              const std::string& upstream,
                                              RenumberMode mode,
                                              Receipt& receipt);

// The bytes of a file with the new id in its references to a row; nothing where it has none.
Result<std::optional<std::string>> relinked(RowPaths& paths,
                                            const std::string& path,
                                            const std::string& bytes,
                                            const Renumbered& row);

// The id that a row gets where `old_id` is taken; `taken` are all ids on both sides.
std::string free_row_id(const RowIdRule& rule,
                        const std::string& old_id,
                        const std::vector<std::string>& taken);

}  // namespace notesdb
