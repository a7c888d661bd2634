#include "files/watch.h"

#include <catch2/catch.hpp>

#include "files/etag.h"
#include "files/guarantees.h"
#include "files/temporary_folder.h"

using namespace notesdb;

TEST_CASE("a drain right after a save tells of it, whoever saved and however", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/row.md", "1");
  folder.put("a/old.md", "1");
  folder.put("b/row.md", "1");
  const auto disk = folder.open();
  Watch watch(disk->root());
  REQUIRE(watch.add("a"));
  CHECK(watch.drain().names.empty());

  const auto told = [&](const char* name) {
    return watch.drain().names.count(ChangedName{"a", name}) == 1;
  };
  folder.put("a/row.md", "2");
  CHECK(told("row.md"));
  REQUIRE(disk->replace("a/row.md", etag_of("2"), "3"));
  CHECK(told("row.md"));
  REQUIRE(disk->create("a/new.md", "1"));
  CHECK(told("new.md"));
  std::filesystem::remove(folder.at("a/old.md"));
  CHECK(told("old.md"));
  std::filesystem::rename(folder.at("b/row.md"), folder.at("a/moved.md"));
  CHECK(told("moved.md"));
  std::filesystem::permissions(folder.at("a/row.md"), std::filesystem::perms::owner_read);
  CHECK(told("row.md"));
  folder.put("b/other.md", "1");
  CHECK(watch.drain().names.empty());
}

TEST_CASE("a watched folder that goes away says so once", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/row.md", "1");
  const auto disk = folder.open();
  Watch watch(disk->root());
  REQUIRE(watch.add("a"));
  std::filesystem::rename(folder.at("a"), folder.at("b"));
  CHECK(watch.drain().names.count(ChangedName{"a", ""}) == 1);
  folder.put("b/row.md", "2");
  CHECK(watch.drain().names.empty());
  CHECK(watch.add("a").error().code == ErrorCode::unknown_row);
}

TEST_CASE("a queue that is full is told as an overflow", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "1");
  folder.put("b.md", "1");
  const auto disk = folder.open();
  Watch watch(disk->root());
  REQUIRE(watch.add("."));
  int most = 16'384;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  if (most > 100'000) {
    WARN("the queue is very long here: skipped");
    return;
  }
  // Alternating names, since the kernel joins equal events that follow each other.
  for (int i = 0; i <= most; ++i)
    std::filesystem::last_write_time(folder.at(i % 2 == 0 ? "a.md" : "b.md"),
                                     std::filesystem::file_time_type::clock::now());
  CHECK(watch.drain().overflow);
  CHECK_FALSE(watch.drain().overflow);
}

TEST_CASE("the doctor's probe finds each guarantee once and leaves nothing behind", "[files]") {
  const TemporaryFolder folder;
  const auto disk = folder.open();
  const Result<std::vector<Guarantee>> found = probe_guarantees(disk->root());
  REQUIRE(found);
  CHECK(found->size() == 5);
  for (const Guarantee& guarantee : *found) {
    if (!guarantee.holds) WARN("not here: " << guarantee.name);
    CHECK_FALSE(guarantee.without.empty());
  }
  const auto displaced = folder.at(".notesdb/displaced");
  CHECK((!std::filesystem::exists(displaced) || std::filesystem::is_empty(displaced)));
}
