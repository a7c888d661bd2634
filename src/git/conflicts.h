// Conflicts: the fields, bodies and rows that a merge left undecided, listed and resolved.
//
// A field in conflict stands between markers in its file; it is found there, whoever merged. A row
// that one side deleted and the other changed has no markers: git's index knows it, and it is
// listed as the field `_row`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "git/repository.h"
#include "merge/sides.h"

namespace notesdb {

inline constexpr std::string_view row_field = "_row";

struct RowConflict {
  std::string path;
  std::string database_id;  // empty: the file is not a row
  std::string row_id;       // empty: a schema, or no row
  std::string field;
  ThreeValues values;
};

// What git's index holds of a path that it could not merge: the objects, empty of a side without one.
struct Unmerged {
  std::string base;
  std::string ours;
  std::string theirs;
};
Result<std::map<std::string, Unmerged>> unmerged_paths(const Repository& repository);

// All conflicts of a workspace, by path. A workspace outside of git has those with markers.
Result<std::vector<RowConflict>> find_conflicting_rows(Workspace& workspace);

// The same of some files only; with a repository, of the rows that one side deleted as well.
Result<std::vector<RowConflict>> find_conflicts_among(Workspace& workspace,
                                                      const Repository* repository,
                                                      const std::vector<std::string>& paths);

struct ResolveRequest {
  std::string database_id;
  std::string row_id;  // "_schema" for the schema file
  Resolution how;
  bool dry_run = false;
};

struct Resolved : Receipt {
  std::string path{};
  std::vector<std::string> still_in_conflict{};  // other fields of the row
};

// Settles one conflict, or all of a row. Fails with unknown_field if there is no such conflict, and
// as an update does for a value that its column does not take.
Result<Resolved> resolve_conflict(Workspace& workspace, const ResolveRequest& request);

}  // namespace notesdb
