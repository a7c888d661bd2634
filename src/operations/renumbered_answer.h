// Renumbered answer: rows that got another id, in a result: {database_id, row_id, new_row_id,
// changed}.
#pragma once

#include <vector>

#include "core/value.h"
#include "git/renumber.h"

namespace notesdb {

Value to_value(const std::vector<Renumbered>& rows);

}  // namespace notesdb
