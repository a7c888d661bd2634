// Which folders may say what the settings are, and which may hold a cache.
#include <filesystem>

#include <catch2/catch.hpp>

#include "database/cache_place.h"
#include "database/made_workspace.h"
#include "database/settings.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;
constexpr auto for_all = fs::perms::others_write;

Environment with_cache(const std::string& home) {
  return [home](const std::string& name) -> std::optional<std::string> {
    if (name == "XDG_CACHE_HOME") return home;
    return std::nullopt;
  };
}

Result<Settings> found_from(const fs::path& folder) {
  return read_settings({}, with_cache(""), folder.string());
}

TEST_CASE("a workspace that was found counts if nobody else can have put it there", "[database]") {
  MadeWorkspace made;
  made.write("notesdb.yaml", "max_rows: 7\n");
  made.write("below/deep/a.md", "text\n");
  const fs::path root = made.root();
  const fs::path below = root / "below/deep";
  const auto own = found_from(below);
  REQUIRE(own);
  CHECK(own->root.value == root.string());
  CHECK(own->max_rows.value == 7);

  for (const fs::path& open : {root, root / "notesdb.yaml"}) {
    INFO(open);
    fs::permissions(open, for_all, fs::perm_options::add);
    const auto refused = found_from(below);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::path_not_allowed);
    CHECK(refused.error().message.find("--root " + root.string()) != std::string::npos);
    CHECK(refused.error().message.find("every user") != std::string::npos);
    CHECK_FALSE(found_from(root));
    SettingFlags named;
    named.root = root.string();
    CHECK(read_settings(named, with_cache(""), below.string())->max_rows.value == 7);
    fs::permissions(open, for_all, fs::perm_options::remove);
  }
  fs::permissions(root, for_all, fs::perm_options::add);
  fs::remove(root / "notesdb.yaml");
  CHECK(found_from(root)->root.value == root.string());
}

TEST_CASE("settings behind a symbolic link are refused by name", "[database]") {
  MadeWorkspace made;
  made.write("elsewhere/settings.yaml", "max_rows: 7\n");
  made.write("root/below/a.md", "text\n");
  fs::create_symlink("../elsewhere/settings.yaml", made.root() / "root/notesdb.yaml");
  for (const fs::path& folder : {made.root() / "root/below", made.root() / "root"}) {
    const auto refused = found_from(folder);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("notesdb.yaml") != std::string::npos);
    CHECK(refused.error().message.find("symbolic link") != std::string::npos);
  }
  SettingFlags named;
  named.root = (made.root() / "root").string();
  CHECK_FALSE(read_settings(named, with_cache(""), "/"));
}

TEST_CASE("a cache folder that others may write is not used, and one they may read is closed",
          "[database]") {
  MadeWorkspace made;
  made.write("cache/notesdb/x.index", "");
  const fs::path cache = made.root() / "cache/notesdb";
  const Environment environment = with_cache((made.root() / "cache").string());
  const auto read = [&] { return *read_settings({}, environment, "/"); };
  const auto problem = [&] { return cache_problem_of(environment); };
  fs::permissions(cache, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
  CHECK(read().cache_folder == cache.string());
  CHECK((fs::status(cache).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
        fs::perms::none);
  for (const fs::perms open : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(cache, fs::perms::owner_all | open);
    CHECK(read().cache_folder.empty());
    CHECK(problem().find(cache.string()) != std::string::npos);
  }
  fs::remove_all(cache);
  fs::create_directory_symlink(made.root() / "cache", cache);
  CHECK(read().cache_folder.empty());
  fs::remove(cache);
  CHECK(problem().empty());
  CHECK(read().cache_folder == cache.string());
}

}  // namespace
}  // namespace notesdb
