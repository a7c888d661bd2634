#include <filesystem>

#include <catch2/catch.hpp>

#include "files/etag.h"
#include "files/root.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

bool is_there(const Disk& disk, const std::string& path) {
  const Result<FileStat> found = disk.stat(path);
  REQUIRE(found);
  return found->kind == FileKind::regular;
}

}  // namespace

TEST_CASE("a folder is the one that lies at its path now", "[files]") {
  const TemporaryFolder folder;
  folder.put("one/two/a.md", "1");
  const auto disk = folder.open();
  CHECK(is_there(*disk, "one/two/a.md"));
  std::filesystem::rename(folder.at("one"), folder.at("away"));
  CHECK_FALSE(is_there(*disk, "one/two/a.md"));
  folder.put("one/two/b.md", "1");
  CHECK(is_there(*disk, "one/two/b.md"));
  CHECK_FALSE(is_there(*disk, "one/two/a.md"));
  CHECK(is_there(*disk, "away/two/a.md"));
  REQUIRE(disk->replace("one/two/b.md", etag_of("1"), "2"));
  std::filesystem::rename(folder.at("one/two"), folder.at("away/two/below"));
  CHECK(is_there(*disk, "away/two/below/b.md"));
  CHECK(disk->replace("one/two/b.md", etag_of("2"), "3").error().code == ErrorCode::conflict);
  CHECK(disk->create("one/two/b.md", "new"));
  CHECK(folder.get("away/two/below/b.md") == "2");
  CHECK(folder.get("one/two/b.md") == "new");
}

TEST_CASE("a link to a folder that was known is not followed to it", "[files]") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  folder.put("one/two/a.md", "1");
  const auto disk = folder.open();
  for (const std::string moved : {"one", "one/two"}) {
    CHECK(is_there(*disk, "one/two/a.md"));
    std::filesystem::rename(folder.at(moved), elsewhere.at("moved"));
    std::filesystem::create_directory_symlink(elsewhere.at("moved"), folder.at(moved));
    CHECK(disk->stat("one/two/a.md").error().code == ErrorCode::path_not_allowed);
    CHECK(disk->create("one/two/b.md", "x").error().code == ErrorCode::path_not_allowed);
    std::filesystem::remove(folder.at(moved));
    std::filesystem::rename(elsewhere.at("moved"), folder.at(moved));
  }
}
