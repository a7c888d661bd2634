// Check: everything that is wrong in a workspace, at once, and the fixes that have one meaning.
//
//   auto answer = check(workspace, {.database_id = "stories"});
//   auto fixed = fix(workspace, {}, WriteMode::dry_run);
//
// A check reads and judges; it never writes. Fixing writes all files it can fix in one change,
// which is undone as any other.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "note/fix.h"

namespace notesdb {

struct CheckRequest {
  std::string database_id{};  // empty: every database
  // Issues of these files only, from the workspace root; empty optional: of all.
  std::optional<std::set<std::string, std::less<>>> paths{};
};

struct CheckAnswer {
  std::vector<Issue> issues;   // by path, line and column, which are never 0
  std::int64_t databases = 0;  // that were looked at
};

// Fails with unknown_database; a schema that cannot be read is an issue.
Result<CheckAnswer> check(Workspace& workspace, const CheckRequest& request);

struct FixedFile {
  std::string path;
  std::vector<FixedField> fields;
};

struct FixAnswer : Receipt {
  std::vector<FixedFile> files{};
};

// Fails with read_only. A file that changes meanwhile is read again.
Result<FixAnswer> fix(Workspace& workspace, const CheckRequest& request, WriteMode mode);

}  // namespace notesdb
