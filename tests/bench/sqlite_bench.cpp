// The same two questions to sqlite in process, its statements prepared once: with the index that
// fits, and with none. It gives columns one by one, and once rows as JSON; a total it is not asked.
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include "bench/workspace_of_rows.h"

namespace notesdb::bench {
namespace {

constexpr const char* first_question =
    "select id, title, estimate, due from task {} where status = 'done' and estimate >= 3"
    " and due is not null order by due limit 50";
constexpr const char* first_as_json =
    "select json_object('id', id, 'fields', json_object('title', title, 'estimate', estimate,"
    " 'due', due)) from task {} where status = 'done' and estimate >= 3"
    " and due is not null order by due limit 50";
constexpr const char* second_question = "select status, count(*) from task {} group by status";

class Question {
 public:
  Question(std::string text, bool indexed) {
    text.replace(text.find("{}"), 2, indexed ? "" : "not indexed");
    if (sqlite3_open_v2(places().sqlite.c_str(), &base_, SQLITE_OPEN_READONLY, nullptr) ||
        sqlite3_prepare_v2(base_, text.c_str(), -1, &statement_, nullptr))
      throw std::runtime_error(sqlite3_errmsg(base_));
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() {
    sqlite3_finalize(statement_);
    sqlite3_close(base_);
  }

  std::size_t ask() {
    std::size_t bytes = 0;
    while (sqlite3_step(statement_) == SQLITE_ROW) {
      for (int column = 0; column < sqlite3_column_count(statement_); ++column) {
        sqlite3_column_text(statement_, column);
        bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
      }
    }
    sqlite3_reset(statement_);
    return bytes;
  }

 private:
  sqlite3* base_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

void ask(benchmark::State& state, const char* text, bool indexed) {
  if (places().sqlite.empty()) return state.SkipWithError("no --sqlite=FILE");
  Question question(text, indexed);
  for (auto _ : state)
    benchmark::DoNotOptimize(question.ask());
}
BENCHMARK_CAPTURE(ask, first, first_question, true)->Name("sqlite/first/indexed");
BENCHMARK_CAPTURE(ask, first_json, first_as_json, true)->Name("sqlite/first/json");
BENCHMARK_CAPTURE(ask, first_plain, first_question, false)->Name("sqlite/first/plain");
BENCHMARK_CAPTURE(ask, second, second_question, true)->Name("sqlite/second/indexed");
BENCHMARK_CAPTURE(ask, second_plain, second_question, false)->Name("sqlite/second/plain");

}  // namespace
}  // namespace notesdb::bench
