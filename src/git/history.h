// History: what git knows of rows: who changed which field from what to what, how two states
// differ, and a row written back as it was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"
#include "database/write_rows.h"
#include "git/row_difference.h"

namespace notesdb {

struct Revision {
  std::string commit;
  std::string author;
  std::string date;  // RFC 3339, as the author's clock said
  std::string message;
  std::vector<RowDifference> rows;
};

// The commits that changed a database, or one row of it under all its names, newest first; at most
// `most` of them, 0 for all. What a merge joined is told by the commits that it joined; of the
// merge itself, the fields that are as on none of its sides (a conflict resolved, a list joined).
Result<std::vector<Revision>> log_rows(Workspace& workspace,
                                       std::string_view database_id,
                                       std::string_view row_id,
                                       std::size_t most);

// What differs between two states of the workspace. `from` is HEAD where empty; `to` is the work
// tree, files that git does not know yet included.
Result<std::vector<RowDifference>> compare_states(Workspace& workspace,
                                                  std::string_view from,
                                                  std::string_view to);

// Writes a row as it was at a revision, byte for byte, after the checks of every write: a row that
// no longer fits its schema is refused with invalid_value. Fails with unknown_row if it was not
// there then.
Result<WriteAnswer> restore_row(Workspace& workspace,
                                std::string_view database_id,
                                std::string_view row_id,
                                std::string_view revision,
                                WriteMode mode);

}  // namespace notesdb
