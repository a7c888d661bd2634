// Writing rows: inserted, changed and deleted, one or many as one change, or not at all.
//
//   auto made = insert_row(workspace, "tasks", {.fields = fields});
//   auto done = run_batch(workspace, operations, {}, WriteMode::write);
//
// All of it is planned by row_plan.h and made by commit.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/commit.h"
#include "database/row_plan.h"
#include "database/workspace.h"

namespace notesdb {

inline constexpr std::size_t max_batch_operations = 1000;
// Filters may match so many rows without expect_count.
inline constexpr std::int64_t max_uncounted = 20;

struct WriteAnswer : Receipt {
  Row row{};                    // as it is now; of a removal, as it was
  bool changed = false;         // false: the file holds what was asked for already, untouched
  std::int64_t references = 0;  // other notes that name the row by its new id now
};

// Fails with invalid_value or unknown_field naming every violation at once, already_exists for a
// row id that is taken.
Result<WriteAnswer> insert_row(Workspace& workspace,
                               std::string_view database_id,
                               NewRow row,
                               WriteMode mode = WriteMode::write);
// Fails with conflict, the message beginning with CONFLICT, when the row's etag is another; the
// data then holds `etag` and `row` as they are now.
Result<WriteAnswer> update_row(Workspace& workspace,
                               std::string_view database_id,
                               RowChange change,
                               WriteMode mode = WriteMode::write);
Result<WriteAnswer> remove_row(Workspace& workspace,
                               std::string_view database_id,
                               std::string_view row_id,
                               std::optional<Etag> etag = {},
                               WriteMode mode = WriteMode::write);
// Any of them.
Result<WriteAnswer> write_row(Workspace& workspace, const RowOperation& operation, WriteMode mode);

// One operation of a batch, or with filters one for each row that matches before the batch.
struct BatchOperation : RowOperation {
  std::optional<Value> filters{};  // in place of change.row_id
};

struct BatchAnswer : Receipt {
  // What became of one row. Without etag where it was removed.
  struct Outcome {
    RowAction action;
    std::string database_id;
    std::string row_id;
    std::optional<Etag> etag;
    bool changed = true;
  };
  std::vector<Outcome> outcomes{};  // in the order of the operations
  std::int64_t applied = 0;         // how many of them changed something
};

// `expected` is how many rows the caller expects to change; another number fails with conflict, and
// so does none where filters match more than max_uncounted. Every failure of every operation is
// said at once, each with its number from 0 as `operation`; then nothing has changed.
Result<BatchAnswer> run_batch(Workspace& workspace,
                              const std::vector<BatchOperation>& operations,
                              std::optional<std::int64_t> expected,
                              WriteMode mode);

}  // namespace notesdb
