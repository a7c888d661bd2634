// Scans over columns in memory: the time per row must not grow from a thousand rows to a million.
#include <benchmark/benchmark.h>

#include "bench/made_table.h"
#include "core/date.h"
#include "query/aggregate.h"
#include "query/query.h"

namespace notesdb::bench {
namespace {

const Clock& noon() {
  static const Clock clock = local_clock();
  return clock;
}

void count_rows(benchmark::State& state, std::int64_t rows) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * rows);
}

void filter_and_sort(benchmark::State& state) {
  const MadeTable table(static_cast<std::uint32_t>(state.range(0)));
  const Value filters = List{Map{{"field", "status"}, {"operator", "eq"}, {"value", "done"}},
                             Map{{"field", "estimate"}, {"operator", "gte"}, {"value", 3}},
                             Map{{"field", "due"}, {"operator", "is_not_empty"}}};
  const auto filter = parse_filter(filters, table.schema(), noon());
  const auto order = parse_order("due", table.schema());
  for (auto _ : state)
    benchmark::DoNotOptimize(run_query(table, {*filter, *order, {0, 50}})->total);
  count_rows(state, state.range(0));
}
BENCHMARK(filter_and_sort)->Name("scan/first")->RangeMultiplier(10)->Range(1000, 1000000);

void count_by_status(benchmark::State& state) {
  const MadeTable table(static_cast<std::uint32_t>(state.range(0)));
  AggregateArguments question;
  question.group_by = List{"status"};
  const auto asked = parse_aggregate(question, table.schema(), noon());
  for (auto _ : state)
    benchmark::DoNotOptimize(run_aggregate(table, *asked)->total);
  count_rows(state, state.range(0));
}
BENCHMARK(count_by_status)->Name("scan/second")->RangeMultiplier(10)->Range(1000, 1000000);

}  // namespace
}  // namespace notesdb::bench
