// Scan: the rows of a table that pass a filter.
//
// Every condition judges each value of a dictionary at most once and then only looks its verdict
// up, whatever the operator; so a scan costs about a nanosecond a row and condition. Conditions
// on what must be read row by row come after those, and bodies last.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "query/filter.h"
#include "query/table.h"

namespace notesdb {

// Row numbers, ascending. Fails only if a body that is asked for cannot be read. Throws BudgetSpent
// (core/budget.h), like all that looks at many rows.
Result<std::vector<std::uint32_t>> matching_rows(const Table& table, const Filter& filter);

}  // namespace notesdb
