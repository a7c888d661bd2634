// Backlinks: what points to a row: relation columns of any database, and links in any body or
// property below the workspace root, as note/link_names.h resolves them.
//
// All notes are read for it; a process that stays looks the links up (link_cache.h) and reads only
// what changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

class Workspace;

struct Backlink {
  std::string database_id;  // empty for a note outside any database
  std::string row_id;       // empty for such a note
  std::string field;        // the column or key; `_body` for a link in the body
  std::string path;         // from the workspace root
  std::string target{};     // the id of the row that it points to

  friend bool operator==(const Backlink&, const Backlink&) = default;
};

// In the order of databases and rows, notes outside any database last. A row's links to itself do
// not count. Fails with unknown_database, unknown_row or path_not_allowed.
Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             std::string_view row_id);

// The same of several rows; links between them count. One look at all notes serves all rows.
Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             const std::vector<std::string>& row_ids);

}  // namespace notesdb
