// A setting that is changed in notesdb.yaml is read from there as it was given.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/settings.h"

namespace notesdb {
namespace {

TEST_CASE("every setting of the file can be set, and leaves the others as written", "[database]") {
  const MadeWorkspace made;
  std::string file = "cache: false  # slow disk\n";
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"max_rows", "1"},
                                                        {"max_bytes", "8KiB"},
                                                        {"confirm", "expect_count"},
                                                        {"read_only", "1"},
                                                        {"query_timeout", "5min"},
                                                        {"query_memory", "64MiB"},
                                                        {"trash_days", "7"},
                                                        {"trash_bytes", "4096"}}) {
    CAPTURE(key, value);
    const auto changed = with_setting(file, key, value);
    REQUIRE(changed);
    file = *changed;
  }
  CHECK(file.starts_with("cache: false  # slow disk\n"));
  made.write("notesdb.yaml", file);
  SettingFlags flags;
  flags.root = made.root().string();
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  const auto read = read_settings(flags, nothing, "/");
  REQUIRE(read);
  CHECK_FALSE(read->cache.value);
  CHECK(read->max_rows.value == 1);
  CHECK(read->max_bytes.value == std::uint64_t{8} << 10U);
  CHECK(read->confirm.value == Confirm::expect_count);
  CHECK(read->read_only.value);
  CHECK(read->query_timeout.value == std::chrono::minutes{5});
  CHECK(read->query_memory.value == std::uint64_t{64} << 20U);
  CHECK(read->trash_days.value == 7);
  CHECK(read->trash_bytes.value == 4096);
  CHECK_FALSE(with_setting(file, "query_timeout", "soon"));
  CHECK_FALSE(with_setting(file, "trash_days", "0"));
  CHECK_FALSE(with_setting(file, "max_bytes", "257KiB"));
  CHECK_FALSE(with_setting(file, "max_bytes", "10B"));
  CHECK_FALSE(with_setting(file, "confirm", "no"));
}

}  // namespace
}  // namespace notesdb
