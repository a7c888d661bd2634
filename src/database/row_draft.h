// RowDraft: the fields and body of a new row: defaults, then the template, then what was given.
#pragma once

#include <string>

#include "core/date.h"
#include "core/result.h"
#include "core/schema.h"
#include "database/database.h"
#include "database/validate.h"

namespace notesdb {

struct RowDraft {
  JudgedFields judged;  // a required column that nobody filled is a violation
  std::string body;
};

// Fails with invalid_argument for an unknown template.
Result<RowDraft> draft_row(const Schema& schema,
                           const NewRow& row,
                           Moment now,
                           const RowExists& exists);

}  // namespace notesdb
