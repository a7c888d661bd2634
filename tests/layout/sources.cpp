#include "layout/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace notesdb::layout {

namespace fs = std::filesystem;

namespace {

const fs::path root = NOTESDB_SOURCE_DIR;

bool is_skipped_folder(const fs::path& folder) {
  static const std::set<std::string> skipped = {"build", "node_modules", ".git", ".cache"};
  return skipped.contains(folder.filename().string());
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Source> read_all() {
  std::vector<Source> sources;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    if (entry->is_symlink()) continue;
    if (entry->is_directory()) {
      if (is_skipped_folder(entry->path())) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || entry->path().filename() == ".git") continue;
    Source source{fs::relative(entry->path(), root).generic_string(), read(entry->path())};
    if (source.text.find('\0') == std::string::npos) sources.push_back(std::move(source));
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

}  // namespace

bool Source::under(std::string_view folder) const {
  return path.starts_with(folder);
}

bool Source::ends_with(std::string_view extension) const {
  return path.ends_with(extension);
}

std::string Source::module_under(std::string_view folder) const {
  if (!under(folder)) return {};
  const std::string rest = path.substr(folder.size());
  const std::size_t slash = rest.find('/');
  return slash == std::string::npos ? std::string() : rest.substr(0, slash);
}

std::vector<std::string_view> Source::lines() const {
  std::vector<std::string_view> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return lines;
}

const std::vector<Source>& all_sources() {
  static const std::vector<Source> sources = read_all();
  return sources;
}

std::string place(const Source& source, std::size_t line_index) {
  return source.path + ":" + std::to_string(line_index + 1);
}

bool exists_in_repository(std::string_view path) {
  return fs::exists(root / path);
}

}  // namespace notesdb::layout
