// Aggregate: figures about groups of rows.
//
//   group_by  ["status"], "due:month", [{"field": "due", "by": "week"}]    up to three
//   metrics   [{"function": "sum", "field": "estimate"}]                   query/metric.h
//   sort      by the names of the result: groups and metrics
//
// Each element of a list counts in its own group; rows where a field is missing, null or an empty
// list are the group null. Groups come in the order of their keys unless sorted otherwise. Without
// group_by there is one group, also over no rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "core/schema.h"
#include "query/filter.h"
#include "query/metric.h"
#include "query/order.h"
#include "query/table.h"

namespace notesdb {

struct GroupBy {
  std::string name;  // in the result: status, due:month
  Field field;
  std::optional<DatePart> part;
};

// A sort by the result's group or metric of this place, groups first.
struct ResultSort {
  std::size_t place = 0;
  Direction direction = Direction::ascending;
};

struct Aggregate {
  Filter filter;
  std::vector<GroupBy> groups;
  std::vector<Metric> metrics;
  std::vector<ResultSort> order;
  std::optional<std::uint64_t> limit;  // none: all groups
};

// The arguments of a call as they came; null and blank text mean absent.
struct AggregateArguments {
  Value filters;
  Value group_by;
  Value metrics;
  Value sort;
  Value limit;
};

// Fails with all that is wrong at once.
Result<Aggregate> parse_aggregate(const AggregateArguments& arguments,
                                  const Schema& schema,
                                  const Clock& clock);

struct Groups {
  std::uint64_t matching = 0;  // rows that pass the filter
  std::uint64_t total = 0;     // groups before the limit
  List rows;                   // a map per group: its keys, then its metrics
  std::string notice;          // sums that had to be rounded
};

// Fails only if a body that the question needs cannot be read.
Result<Groups> run_aggregate(const Table& table, const Aggregate& aggregate);

}  // namespace notesdb
