// Which folders are databases, asked again and again while other programs make and remove them.
#include "database/database_search.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

using Ids = std::vector<std::string>;

TEST_CASE("databases that come and go are seen at the next question", "[database]") {
  MadeWorkspace made;
  const std::string schema = "name: X\ncolumns: []\n";
  made.write("a/_schema.yaml", schema);
  made.write("a/1.md", "one\n");
  made.write("deep/er/b/_schema.yaml", schema);
  made.write("plain/1.md", "two\n");
  Workspace& workspace = made.open();
  // So long that the stamps of the folders are trusted.
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  const auto ids = [&] { return workspace.database_ids()->ids; };
  CHECK(ids() == Ids{"a", "deep/er/b"});
  CHECK(ids() == Ids{"a", "deep/er/b"});

  made.write("a/2.md", "a row more\n");
  CHECK(ids() == Ids{"a", "deep/er/b"});
  made.write("plain/_schema.yaml", schema);
  CHECK(ids() == Ids{"a", "deep/er/b", "plain"});
  made.write("deep/c/_schema.yaml", schema);
  CHECK(ids() == Ids{"a", "deep/c", "deep/er/b", "plain"});
  std::filesystem::rename(made.root() / "deep/er", made.root() / "deep/ly");
  CHECK(ids() == Ids{"a", "deep/c", "deep/ly/b", "plain"});
  std::filesystem::remove(made.root() / "a/_schema.yaml");
  CHECK(ids() == Ids{"deep/c", "deep/ly/b", "plain"});
  std::filesystem::remove_all(made.root() / "deep");
  std::filesystem::create_directory_symlink("plain", made.root() / "deep");
  CHECK(ids() == Ids{"plain"});
  CHECK(workspace.database_ids()->issues.size() == 1);
}

TEST_CASE("folders nested deeper than 64 are named and not looked into", "[database]") {
  MadeWorkspace made;
  const std::string schema = "name: X\ncolumns: []\n";
  std::string path = "a";
  for (int depth = 1; depth < 64; ++depth)
    path += "/a";
  made.write(path + "/_schema.yaml", schema);
  made.write(path + "/b/_schema.yaml", schema);
  const auto found = made.open().database_ids();
  REQUIRE(found);
  CHECK(found->ids == Ids{path});
  REQUIRE(found->issues.size() == 1);
  CHECK(found->issues.front().path == path + "/b");
  CHECK(found->issues.front().message.find("nested deeper than 64 folders") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
