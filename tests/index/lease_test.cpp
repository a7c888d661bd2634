// Questions that take long: they keep the table that they began with, and nobody waits for them.
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/row_sink.h"
#include "index/row_table.h"

namespace notesdb {
namespace {

constexpr std::chrono::seconds long_enough{20};

// Takes the first row and waits to be let go on.
class WaitingSink : public RowSink {
 public:
  using RowSink::take;
  void take(Row row) override {
    rows.push_back(std::move(row));
    std::unique_lock lock(mutex_);
    has_begun_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, long_enough, [&] { return may_go_on_; });
  }
  bool wait_until_begun() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough, [&] { return has_begun_; });
  }
  void let_go_on() {
    const std::lock_guard guard(mutex_);
    may_go_on_ = true;
    changed_.notify_all();
  }
  std::vector<Row> rows;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_begun_ = false;
  bool may_go_on_ = false;
};

void write_task(const MadeWorkspace& made, int number, const std::string& title) {
  made.write("tasks/row-" + std::to_string(number) + ".md", "---\ntitle: " + title + "\n---\n");
}

std::vector<std::string> titles(const std::vector<Row>& rows) {
  std::vector<std::string> found;
  for (const Row& row : rows)
    found.push_back(find_member(row.fields, "title")->text());
  return found;
}

TEST_CASE("a question keeps the table that it began with, and others see what changed", "[lease]") {
  for (const bool stays : {false, true}) {
    MadeWorkspace made;
    made.write("tasks/_schema.md", task_schema);
    for (int number = 1; number <= 3; ++number)
      write_task(made, number, "old");
    if (stays) made.open().stay();
    Database& database = made.database("tasks");
    REQUIRE(database.query(QueryRequest{.sort = "title"}));

    WaitingSink sink;
    auto slow = std::async(std::launch::async,
                           [&] { return database.query(QueryRequest{.sort = "title"}, sink); });
    REQUIRE(sink.wait_until_begun());
    write_task(made, 2, "new");
    write_task(made, 4, "new");
    const auto begun = std::chrono::steady_clock::now();
    const auto now = database.query(QueryRequest{.sort = "_id"});
    const bool is_quick = std::chrono::steady_clock::now() - begun < long_enough / 2;
    sink.let_go_on();
    const auto answer = slow.get();
    REQUIRE(now);
    CHECK(is_quick);
    CHECK(titles(now->rows) == std::vector<std::string>{"old", "new", "old", "new"});
    REQUIRE(answer);
    CHECK(answer->total == 3);
    CHECK(titles(sink.rows) == std::vector<std::string>{"old", "old", "old"});
    CHECK(titles(database.query(QueryRequest{.sort = "_id"})->rows) == titles(now->rows));
  }
}

TEST_CASE("a copy of a table answers as the table does, and goes its own way", "[lease]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  for (int number = 1; number <= 40; ++number)
    write_task(made, number, "t" + std::to_string(number % 7));
  made.open().stay();
  Database& database = made.database("tasks");
  const QueryRequest by_title{.sort = "title", .limit = 100};
  for (int round = 0; round < 5; ++round) {
    WaitingSink sink;
    auto slow = std::async(std::launch::async, [&] { return database.query(by_title, sink); });
    REQUIRE(sink.wait_until_begun());
    for (int number = 1; number <= 40; number += 3)
      write_task(made, number, "round" + std::to_string(round));
    write_task(made, 100 + round, "added");
    const auto now = database.query(by_title);
    sink.let_go_on();
    REQUIRE(slow.get());
    REQUIRE(now);
    const auto fresh = made.open_anew();
    const auto expected = (**fresh->get("tasks")).query(by_title);
    REQUIRE(expected);
    CHECK(titles(now->rows) == titles(expected->rows));
  }
}

TEST_CASE("questions at once, with changes between them, are all answered", "[lease]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  for (int number = 1; number <= 100; ++number)
    write_task(made, number, "t" + std::to_string(number));
  made.open().stay();
  Database& database = made.database("tasks");
  std::atomic<bool> failed = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn < 40; ++turn) {
        if (thread == 0) write_task(made, turn + 1, "u" + std::to_string(turn));
        const auto sorted = database.query(QueryRequest{.sort = thread % 2 == 0 ? "title" : "due"});
        const auto counted = database.aggregate({.group_by = {"title"}});
        if (!sorted || sorted->total != 100 || !counted) failed = true;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK_FALSE(failed);
}

TEST_CASE("who wants to change a table waits for its readers, and not for ever", "[lease]") {
  TableReaders readers;
  CHECK(readers.wait_until_none(std::chrono::milliseconds(1)));
  readers.enter();
  CHECK_FALSE(readers.wait_until_none(std::chrono::milliseconds(1)));
  auto waiting = std::async(std::launch::async,
                            [&] { return readers.wait_until_none(std::chrono::seconds(20)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  readers.leave();
  CHECK(waiting.get());
}

}  // namespace
}  // namespace notesdb
