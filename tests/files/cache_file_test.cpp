#include "files/cache_file.h"

#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "files/etag.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

// How much of files this process has in its memory.
std::size_t mapped_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "RssFile:") {
  }
  std::size_t kibibytes = 0;
  status >> kibibytes;
  return kibibytes << 10U;
}

std::shared_ptr<MappedFile> made(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder.path() + "/a.cache";
  const std::string_view all = bytes;
  REQUIRE(write_cache_file(path, {&all, 1}));
  return MappedFile::open(path);
}

std::string text_of(std::size_t size) {
  std::string text;
  while (text.size() < size)
    text += std::to_string(text.size()) + " ";
  return text;
}

}  // namespace

TEST_CASE("what was gone through of a large cache file leaves memory and is read again",
          "[files]") {
  const TemporaryFolder folder;
  const std::string text = text_of(16 * mebibyte);
  const auto file = made(folder, text);
  const std::size_t before = mapped_bytes();
  REQUIRE(file->etag_from(0) == etag_of(text));
  CHECK(mapped_bytes() < before + 2 * mebibyte);
  const std::span<const char> bytes = file->bytes();
  REQUIRE(std::string_view(bytes.data(), bytes.size()) == text);
  CHECK(mapped_bytes() > before + 15 * mebibyte);
  file->give_back(bytes.subspan(mebibyte + 1, 14 * mebibyte));
  CHECK(mapped_bytes() < before + 4 * mebibyte);
  CHECK(std::string_view(bytes.data(), bytes.size()) == text);
}

TEST_CASE("a cache file gives nothing back that is not its own, nor a small one what is",
          "[files]") {
  const TemporaryFolder folder;
  const std::string text = text_of(8 * mebibyte);
  const auto large = made(folder, text);
  std::string own = text;
  large->give_back(own);
  CHECK(own == text);
  const auto small = made(folder, text_of(mebibyte));
  small->bytes()[0] = 'x';
  small->give_back(small->bytes());
  CHECK(small->bytes()[0] == 'x');
}
