// Reference: what the contract says about filters, sorts and groups, once more and the slow way,
// row by row. It shares nothing with src/query but the tables and the value's spelling.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "query/memory_table.h"

namespace notesdb {

using Random = std::mt19937;

// A table of up to 60 rows with every type of column, values missing, null, empty and unfit.
MemoryTable random_table(Random& random);
// A filter list that is never refused.
Value random_filters(Random& random);
// One to three sorts.
Value random_sorts(Random& random);

// Whether a row passes a filter list.
bool passes(const MemoryTable& table, std::uint32_t row, const Value& filters);
// Negative if row `a` comes before row `b`.
int compare_rows(const MemoryTable& table, std::uint32_t a, std::uint32_t b, const Value& sorts);

}  // namespace notesdb
