// Alter: changes of a schema with everything that follows from them, as one change.
//
//   auto plan = alter(workspace, request, WriteMode::dry_run);
//   auto done = alter(workspace, request, WriteMode::write);
//
// The schema, the rows, and the schemas of other databases that name the columns: all of it
// happens or none, also when the process is killed, and undo takes it back as any change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alter/schema_change.h"
#include "core/error.h"
#include "database/commit.h"
#include "database/workspace.h"

namespace notesdb {

// What becomes of a value that a change of type cannot convert without a loss.
enum class OnInvalid { refuse, keep, clear };

struct AlterRequest {
  std::string database_id{};
  std::optional<Etag> etag{};  // of the schema; none: as it is now
  std::vector<SchemaChange> changes{};
  OnInvalid on_invalid = OnInvalid::refuse;
  std::optional<std::int64_t> expect_count{};  // refuse to change another number of rows
};

struct AlterAnswer : Receipt {
  Schema schema{};                      // as it is then
  Etag etag{};                          // of its file
  std::int64_t rows = 0;                // how many rows change
  std::vector<std::string> schemas{};   // paths of the schema files that change
  std::vector<Issue> invalid_values{};  // values that will not convert, by path and line
};

// Fails with conflict, the message beginning with CONFLICT, when the schema's etag is another; with
// invalid_value, naming the values that cannot be converted, where those are to be refused (a dry
// run lists them); with conflict where another number of rows than expected would change; as
// SchemaSet::apply says. Nothing is written then.
Result<AlterAnswer> alter(Workspace& workspace, const AlterRequest& request, WriteMode mode);

}  // namespace notesdb
