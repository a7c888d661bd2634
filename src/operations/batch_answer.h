// Batch answer: many rows changed as one change, and what became of each.
//
//   {applied, results: [{action, database_id, id, etag?, changed}], change?, diff?, warnings?}
#pragma once

#include <vector>

#include "core/result.h"
#include "core/value.h"
#include "database/write_rows.h"
#include "operations/operation.h"

namespace notesdb {

// Carries the operations out as one change, with the call's expect_count and dry_run. Of more rows
// than the call's cap `results` has the first.
Result<Value> batch_answer(const Call& call, const std::vector<BatchOperation>& operations);

// Arguments of a command that may change all rows that match in place of one.
Argument row_or_filters_argument();
Argument bulk_filters_argument();
Argument bulk_count_argument();
// The rows that the filters of such a command match; nothing where it names one row. Fails with
// invalid_argument where it names both or neither.
Result<std::optional<Value>> bulk_filters(const Call& call);

}  // namespace notesdb
