#include "git/text_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "files/etag.h"

namespace notesdb {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 64;

fs::path cache_folder() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nobody here changes the environment
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "notesdb" / "trees";
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "notesdb" / "trees";
  return {};
}

void put_number(std::string& bytes, std::uint64_t number) {
  std::string piece(sizeof number, '\0');
  std::memcpy(piece.data(), &number, sizeof number);
  bytes += piece;
}

bool take_number(std::string_view& bytes, std::uint64_t& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

bool take_text(std::string_view& bytes, std::string& text) {
  std::uint64_t size = 0;
  if (!take_number(bytes, size) || size > bytes.size()) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

// The oldest entries go when there are many.
void keep_few(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    entries.emplace_back(entry.last_write_time(failed), entry.path());
  if (entries.size() <= most_entries) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i + most_entries < entries.size(); ++i)
    fs::remove(entries[i].second, failed);
}

}  // namespace

std::optional<NamedTexts> read_text_cache(const std::string& tree) {
  fs::path folder = cache_folder();
  if (folder.empty()) return std::nullopt;
  std::ifstream file(folder / tree, std::ios::binary);
  if (!file) return std::nullopt;
  std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::string_view bytes = whole;
  std::uint64_t hash = 0;
  std::uint64_t count = 0;
  if (!take_number(bytes, hash) || etag_of(bytes).hash != hash) return std::nullopt;
  if (!take_number(bytes, count)) return std::nullopt;
  NamedTexts texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    std::string text;
    if (!take_text(bytes, name) || !take_text(bytes, text)) return std::nullopt;
    texts.emplace_hint(texts.end(), std::move(name), std::move(text));
  }
  return texts;
}

void write_text_cache(const std::string& tree, const NamedTexts& texts) {
  fs::path folder = cache_folder();
  std::error_code failed;
  if (folder.empty()) return;
  fs::create_directories(folder, failed);
  std::string bytes;
  put_number(bytes, texts.size());
  for (const auto& [name, text] : texts) {
    put_number(bytes, name.size());
    bytes += name;
    put_number(bytes, text.size());
    bytes += text;
  }
  std::string hash;
  put_number(hash, etag_of(bytes).hash);
  fs::path beside = folder / ("." + tree + "." + std::to_string(::getpid()));
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << hash << bytes;
  file.close();
  if (file) fs::rename(beside, folder / tree, failed);
  if (!file || failed) fs::remove(beside, failed);
  keep_few(folder);
}

}  // namespace notesdb
