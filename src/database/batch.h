// Batch: rows of several databases inserted, changed and deleted as one change, or not at all.
//
// A batch is first carried out on a PendingFiles, where each operation sees what those before it
// did, so that a row may refer to one that the same batch makes. Only if all of them pass does the
// disk see it: one change, one flush, one id to take back.
//
// Etags are those of the rows before the batch; all of them are compared before anything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

inline constexpr std::size_t most_batch_operations = 1000;

enum class BatchAction { insert, update, remove };

struct BatchOperation {
  BatchAction action = BatchAction::insert;
  std::string database_id{};
  NewRow row{};        // of an insert
  RowChange change{};  // of an update; of a removal its row_id and etag
};

struct BatchAnswer {
  // What became of one operation's row. Without etag where it was removed.
  struct Outcome {
    std::string row_id;
    std::optional<Etag> etag;
    bool changed = true;
  };
  std::vector<Outcome> outcomes;  // one for each operation, in order
  std::int64_t applied = 0;       // how many of them changed something
  std::string change;             // its id; empty if nothing was written
  std::string diff;               // of a dry run
  std::vector<std::string> notes;
  bool durable = true;
};

// `expected` is how many operations the caller expects to change something; another number fails
// with conflict. Every failure of every operation is said at once, each with its number from 0 as
// `operation`; then nothing has changed.
Result<BatchAnswer> run_batch(Workspace& workspace,
                              const std::vector<BatchOperation>& operations,
                              std::optional<std::int64_t> expected,
                              WriteMode mode);

}  // namespace notesdb
