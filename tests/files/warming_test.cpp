#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/disk.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("files that take long are cold, and a single one is not enough", "[files]") {
  const auto slow = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 7;
  };
  Warmth warmth;
  CHECK_FALSE(warmth.is_cold());
  CHECK(warmth.time(slow) == 7);
  CHECK(warmth.time(slow) == 7);
  CHECK(warmth.is_cold());
}

TEST_CASE("warming waits for no pipe, takes any name, and leaves nothing open", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "---\n---\n");
  folder.put("below/row.md", "x");
  REQUIRE(::mkfifo(folder.at("pipe.md").c_str(), 0600) == 0);
  REQUIRE(::symlink("row.md", folder.at("link.md").c_str()) == 0);
  std::vector<const char*> names;
  for (int i = 0; i < 100; ++i) {
    for (const char* name :
         {"row.md", "missing.md", "pipe.md", "link.md", "..", "below/row.md", ""})
      names.push_back(name);
  }
  const int place = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(place >= 0);
  const std::size_t before = open_files();
  { const Warming warming(place, names); }
  { const Warming warming(place, {}); }
  CHECK(open_files() == before);
  ::close(place);
}
