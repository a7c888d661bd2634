// Asking: questions in one line, for tests.
#pragma once

#include <string>
#include <string_view>

#include "core/date.h"
#include "query/aggregate.h"
#include "query/memory_table.h"
#include "query/query.h"

namespace notesdb {

// Saturday 2026-01-31 10:30, two hours ahead of UTC.
Clock test_clock();

// One triple; without the value where it is null.
Value triple(std::string_view field, std::string_view operation, Value value = {});

// The ids of the rows that pass, joined by spaces; "! message" if the filter is refused.
std::string ids_where(const MemoryTable& table, const Value& filters);
std::string ids_sorted(const MemoryTable& table, const Value& sort);

// The error of a filter; its message is empty if there is none.
Error refusal(const Schema& schema, const Value& filters);

// The groups as one display text each, joined by spaces; "! message" if refused.
std::string groups_of(const MemoryTable& table, const AggregateArguments& arguments);

}  // namespace notesdb
