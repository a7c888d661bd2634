// A workspace that stays open, as a server keeps it: questions with nothing changed, after edits by
// other programs, and what it costs to open.
#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/workspace_of_rows.h"

namespace notesdb::bench {
namespace {

// One workspace for all resident benchmarks, asked once; with the memory that this took.
struct Resident {
  std::unique_ptr<Workspace> workspace;
  std::int64_t memory = 0;
};

Resident& resident() {
  static Resident kept = [] {
    const std::int64_t before = held_memory();
    Resident opened{open_workspace()};
    opened.workspace->stay();
    ask_first(*opened.workspace);
    ask_second(*opened.workspace);
    opened.memory = held_memory() - before;
    return opened;
  }();
  return kept;
}

void first(benchmark::State& state) {
  Resident& kept = resident();
  for (auto _ : state)
    benchmark::DoNotOptimize(ask_first(*kept.workspace).size());
  state.counters["memory"] = static_cast<double>(kept.memory);
}
BENCHMARK(first)->Name("resident/first")->Unit(benchmark::kMicrosecond);

void second(benchmark::State& state) {
  Resident& kept = resident();
  for (auto _ : state)
    benchmark::DoNotOptimize(ask_second(*kept.workspace).size());
}
BENCHMARK(second)->Name("resident/second")->Unit(benchmark::kMicrosecond);

// As an editor does that writes in place: the same size, other bytes.
void edit(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-2, std::ios::end);
  const int last = file.get();
  file.seekp(-2, std::ios::end);
  file.put(last == '.' ? '!' : '.');
}

// Edits some files before each call of `look`, which is told which; only that counts.
template <typename Look>
void edit_and_look(benchmark::State& state, const Look& look) {
  static const std::vector<std::string> paths = row_paths();
  std::vector<std::string> edited(static_cast<std::size_t>(state.range(0)));
  std::size_t at = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (std::string& path : edited) {
      path = paths[at++ * 37 % paths.size()];
      edit(path);
    }
    state.ResumeTiming();
    look(edited);
  }
}

void after_edits(benchmark::State& state) {
  Resident& kept = resident();
  edit_and_look(state,
                [&](const auto&) { benchmark::DoNotOptimize(ask_first(*kept.workspace).size()); });
}
BENCHMARK(after_edits)
    ->Name("resident/after_edits")
    ->Arg(1)
    ->Arg(100)
    ->Iterations(30)
    ->Unit(benchmark::kMicrosecond);

// What the kernel alone needs for the files that were edited: each opened, looked at, read, looked
// at again and closed, on two threads where they are many.
void read_edited(benchmark::State& state) {
  const auto read_some =
      [](const std::vector<std::string>& paths, std::size_t first, std::size_t step) {
        std::array<char, 8192> bytes;
        struct stat found {};
        for (std::size_t at = first; at < paths.size(); at += step) {
          const int file = ::open(paths[at].c_str(), O_RDONLY | O_CLOEXEC);
          ::fstat(file, &found);
          benchmark::DoNotOptimize(::pread(file, bytes.data(), bytes.size(), 0));
          ::fstat(file, &found);
          ::close(file);
        }
      };
  edit_and_look(state, [&](const std::vector<std::string>& edited) {
    if (edited.size() == 1) return read_some(edited, 0, 1);
    std::thread second([&] { read_some(edited, 1, 2); });
    read_some(edited, 0, 2);
    second.join();
  });
}
BENCHMARK(read_edited)
    ->Name("floor/after_edits")
    ->Arg(1)
    ->Arg(100)
    ->Iterations(30)
    ->Unit(benchmark::kMicrosecond);

// What a command does after its arguments: open, verify, answer.
void open_and_ask(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(ask_first(*open_workspace()).size());
}
BENCHMARK(open_and_ask)->Name("index/open_and_first")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace notesdb::bench
