// An index file never changes an answer: not after outside edits, and not when it is damaged.
#include <fstream>
#include <random>

#include <catch2/catch.hpp>

#include "index/indexed_workspace.h"
#include "index/outside_edits.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;

TEST_CASE("an index file is written outside the workspace and only with the cache on", "[index]") {
  Indexed indexed;
  indexed.truth();
  CHECK_FALSE(indexed.has_index());
  const auto before = indexed.made.files();
  indexed.shown();
  CHECK(indexed.has_index());
  CHECK(indexed.made.files() == before);
  CHECK_FALSE(indexed.made.has_trace());
}

TEST_CASE("answers out of an index file equal those of a fresh read under outside edits",
          "[index]") {
  Indexed indexed;
  REQUIRE(indexed.shown() == indexed.truth());
  REQUIRE(indexed.has_index());
  OutsideEdits edits(indexed.made.root() / "tasks", 11);
  for (int step = 0; step < 120; ++step) {
    for (int i = 0; i < 4; ++i)
      edits.edit();
    if (step == 60) indexed.add_column();
    REQUIRE(indexed.shown() == indexed.truth());
  }
}

TEST_CASE("a damaged index file is as good as none", "[index]") {
  Indexed indexed;
  const std::string truth = indexed.truth();
  indexed.shown();
  REQUIRE(indexed.has_index());
  const fs::path path = indexed.index();
  const std::string whole = indexed.index_bytes();
  const auto damage = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    REQUIRE(indexed.shown() == truth);
  };
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same run every time
  for (int i = 0; i < 40; ++i)
    damage(whole.substr(0, random() % whole.size()));
  for (int i = 0; i < 80; ++i) {
    std::string bytes = whole;
    bytes[i < 60 ? static_cast<std::size_t>(i) : random() % bytes.size()] ^=
        static_cast<char>(1U << (random() % 8));
    damage(bytes);
  }
  damage("");
  damage(whole + "x");
  damage("another program's file");
  fs::remove(path);
  fs::create_directory(path);
  CHECK(indexed.shown() == truth);
}

TEST_CASE("the next process reads only what changed since the index file was written", "[index]") {
  Indexed indexed;
  indexed.shown();
  const auto written = fs::last_write_time(indexed.index());
  indexed.made.write(Indexed::row(5), row_bytes(905));
  CHECK(indexed.shown() == indexed.truth());
  CHECK(fs::last_write_time(indexed.index()) == written);
}

TEST_CASE("a row that was read again stays so when a large index file is gone through again",
          "[index]") {
  Indexed indexed;
  for (int i = 0; i < row_count; ++i) {
    const std::string title(20'000, static_cast<char>('a' + i % 26));
    indexed.made.write(Indexed::row(i), "---\ntitle: " + title + std::to_string(i) + "\n---\n");
  }
  Indexed::wait_until_sure();
  REQUIRE(indexed.shown() == indexed.truth());
  REQUIRE(indexed.index_bytes().size() > std::size_t{4} << 20U);
  const auto workspace = indexed.made.open_anew();
  REQUIRE(Indexed::show(*workspace) == indexed.truth());
  indexed.made.write(Indexed::row(5), row_bytes(905));
  Indexed::wait_until_sure();
  for (int look = 0; look < 3; ++look)
    CHECK(Indexed::show(*workspace) == indexed.truth());
}

TEST_CASE("equal values are one value, also where hardly any comes twice", "[index]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  constexpr int rows = 2000;  // more than it takes to see that none comes again
  for (int i = 0; i < rows; ++i) {
    const int number = i % 100 == 99 ? i - 50 : i;
    made.write(Indexed::row(i), "---\ntitle: Task " + std::to_string(number) + "\n---\n");
  }
  const auto count = [&](int number) {
    const Value title("Task " + std::to_string(number));
    return (*made.open().get("tasks"))->query({.filters = triple("title", "eq", title)})->total;
  };
  for (int hundred = 0; hundred < rows; hundred += 100) {
    CHECK(count(hundred + 49) == 2);
    CHECK(count(hundred + 50) == 1);
    CHECK(count(hundred + 99) == 0);
  }
}

}  // namespace
}  // namespace notesdb
