// The journal, which stays open between changes while others may write to it or replace it.
#include "files/journal.h"

#include <catch2/catch.hpp>

#include "files/etag.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

constexpr const char* journal = ".notesdb/displaced/journal";

// Two changes of a row through one Disk, and something that happens between them.
template <typename Between>
std::vector<JournalEntry> changes_around(const TemporaryFolder& folder, const Between& between) {
  folder.put("row.md", "1");
  const std::unique_ptr<Disk> disk = folder.open();
  REQUIRE(disk->replace("row.md", etag_of("1"), "2"));
  between();
  REQUIRE(disk->replace("row.md", etag_of("2"), "3"));
  return *disk->history("", 10);
}

}  // namespace

TEST_CASE("the journal passes over lines that were cut short", "[files]") {
  JournalEntry step;
  step.change = "08kgp2vj0fxw1q7";
  step.kind = StepKind::rename;
  step.path = "a\tb\n\\c.md";
  step.new_path = "é.md";
  step.old_etag = etag_of("x");
  const std::string line = to_lines({step});
  REQUIRE(parse_lines(line).size() == 1);
  CHECK(parse_lines(line).front().path == step.path);
  CHECK(parse_lines(line).front().new_path == step.new_path);
  CHECK(parse_lines(line).front().old_etag == step.old_etag);
  CHECK(parse_lines(line.substr(0, 30) + "\n" + line).size() == 1);
  CHECK(parse_lines(line + to_void_line(step.change)).empty());
}

TEST_CASE("a line that another program cut short swallows none of ours", "[files]") {
  const TemporaryFolder folder;
  const auto cut_short = [&] {
    folder.put(journal, folder.get(journal) + "08kgp2vj0fxw1q7\t0\tre");
  };
  CHECK(changes_around(folder, cut_short).size() == 2);
}

TEST_CASE("a journal that another program put in its place is written to from then on", "[files]") {
  const TemporaryFolder folder;
  const auto replace = [&] {
    folder.put(".notesdb/displaced/journal.new", "");
    std::filesystem::rename(folder.at(".notesdb/displaced/journal.new"), folder.at(journal));
  };
  const std::vector<JournalEntry> kept = changes_around(folder, replace);
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().new_etag == etag_of("3"));
}

TEST_CASE("a journal that was deleted is begun anew", "[files]") {
  const TemporaryFolder folder;
  CHECK(changes_around(folder, [&] { std::filesystem::remove(folder.at(journal)); }).size() == 1);
}
