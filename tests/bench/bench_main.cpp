// notesdb_bench: parts of notesdb, measured in one process beside what others offer for the same.
//
//   notesdb_bench --workspace=DIR [--sqlite=FILE] [--benchmark_filter=...]
//
// DIR holds the database `tasks` of tests/bench/rows.py, FILE the same rows with an index over
// (status, due, estimate) and one over status.
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/workspace_of_rows.h"

int main(int argc, char** argv) {
  std::vector<char*> rest;
  for (int at = 0; at < argc; ++at) {
    const std::string_view word = argv[at];
    constexpr std::string_view workspace = "--workspace=";
    constexpr std::string_view sqlite = "--sqlite=";
    if (word.starts_with(workspace))
      notesdb::bench::places().workspace = word.substr(workspace.size());
    else if (word.starts_with(sqlite))
      notesdb::bench::places().sqlite = word.substr(sqlite.size());
    else
      rest.push_back(argv[at]);
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
