#include <algorithm>

#include <catch2/catch.hpp>

#include "files/etag.h"
#include "files/pending_files.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

std::vector<std::string> names_in_folder(const FileSystem& files, std::string_view folder) {
  std::vector<std::string> names;
  const auto entries = files.list(folder);
  REQUIRE(entries);
  for (const Entry& entry : *entries)
    names.push_back(entry.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("pending changes are seen and not made", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.replace("a.md", etag_of("a"), "a2"));
  REQUIRE(pending.remove("b.md", etag_of("b")));
  REQUIRE(pending.create("new/c.md", "c"));
  CHECK(pending.read("a.md")->bytes == "a2");
  CHECK(pending.read("b.md").error().code == ErrorCode::unknown_row);
  CHECK(pending.stat("b.md")->kind == FileKind::missing);
  CHECK(pending.stat("new")->kind == FileKind::folder);
  CHECK(names_in_folder(pending, ".") == std::vector<std::string>{"a.md", "new"});
  CHECK(names_in_folder(pending, "new") == std::vector<std::string>{"c.md"});
  CHECK(folder.picture() == std::map<std::string, std::string>{{"a.md", "a"}, {"b.md", "b"}});
  CHECK_FALSE(folder.has(".notesdb"));
}

TEST_CASE("many files are read with what is pending among them", "[files]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.md", "b.md", "c.md"})
    folder.put(name, name);
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.replace("b.md", etag_of("b.md"), "other"));
  REQUIRE(pending.remove("c.md", etag_of("c.md")));
  const std::vector<const char*> names{"c.md", "b.md", "a.md"};
  std::vector<std::string> found(names.size());
  REQUIRE(pending.read_all(".", names, [&](const FileView& file) {
    found[file.index] = file.state == ReadState::whole ? std::string(file.bytes) : "-";
  }));
  CHECK(found == std::vector<std::string>{"-", "other", "a.md"});
  std::vector<FileStat> stats(names.size());
  REQUIRE(pending.stat_all(".", names, stats));
  CHECK(stats[0].kind == FileKind::missing);
  CHECK(stats[1].kind == FileKind::regular);
}

TEST_CASE("several steps about one file become one", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.replace("a.md", etag_of("a"), "a2"));
  REQUIRE(pending.replace("a.md", etag_of("a2"), "a3"));
  REQUIRE(pending.create("x.md", "x"));
  REQUIRE(pending.remove("x.md", etag_of("x")));
  REQUIRE(pending.rename("b.md", "c.md", etag_of("b")));
  REQUIRE(pending.replace("c.md", etag_of("b"), "c"));
  const std::vector<Step> steps = pending.steps();
  REQUIRE(steps.size() == 3);
  REQUIRE(disk->apply(steps));
  CHECK(folder.get("a.md") == "a3");
  CHECK(folder.get("c.md") == "c");
  CHECK_FALSE(folder.has("b.md"));
  CHECK_FALSE(folder.has("x.md"));
}

TEST_CASE("a pending change refuses what the disk would refuse", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.create("x.md", "x"));
  CHECK(pending.create("x.md", "y").error().code == ErrorCode::already_exists);
  CHECK(pending.create("-x.md", "y").error().code == ErrorCode::path_not_allowed);
  CHECK(pending.replace("x.md", etag_of("a"), "y").error().code == ErrorCode::conflict);
  CHECK(pending.remove("none.md", etag_of("a")).error().code == ErrorCode::conflict);
  // Nothing of an apply that is refused half-way is pending.
  CHECK_FALSE(pending.apply({Step::create("y.md", "y"), Step::remove("none.md", etag_of("a"))}));
  CHECK(pending.stat("y.md")->kind == FileKind::missing);
}

TEST_CASE("a save by another program after the first look is a conflict", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.replace("a.md", etag_of("a"), "a2"));
  REQUIRE(pending.replace("b.md", etag_of("b"), "b2"));
  folder.put("b.md", "theirs");
  CHECK(disk->apply(pending.steps()).error().code == ErrorCode::conflict);
  CHECK(folder.get("a.md") == "a");
  CHECK(folder.get("b.md") == "theirs");
}

TEST_CASE("a file that was remembered is read again after each pending save", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  const auto disk = folder.open();
  PendingFiles pending(*disk);
  REQUIRE(pending.replace("a.md", etag_of("a"), "1"));
  const StatKey first = pending.stat("a.md")->key;
  const StatKey folder_first = pending.stat(".")->key;
  REQUIRE(pending.replace("a.md", etag_of("1"), "2"));
  CHECK_FALSE(pending.stat("a.md")->key == first);
  CHECK_FALSE(pending.stat(".")->key == folder_first);
}

