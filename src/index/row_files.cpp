#include "index/row_files.h"

#include <algorithm>
#include <map>
#include <vector>

#include "files/names.h"

namespace notesdb {

namespace {

// The files of one folder: their bare names, and where each stands among all.
struct Group {
  std::vector<const char*> names;
  std::vector<std::size_t> places;
};

std::map<std::string_view, Group> by_folder(std::span<const char* const> paths) {
  std::map<std::string_view, Group> groups;
  Group* group = nullptr;
  std::string_view folder = "/";  // no folder is called so
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string_view path = paths[i];
    const std::size_t slash = path.rfind('/');
    const auto here = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    if (here != folder) {
      folder = here;
      group = &groups[folder];
    }
    group->names.push_back(paths[i] + (slash == std::string_view::npos ? 0 : slash + 1));
    group->places.push_back(i);
  }
  return groups;
}

std::string full_folder(std::string_view database, std::string_view folder) {
  return folder.empty() ? std::string(database) : join_path(database, folder);
}

bool is_gone(const Error& error) {
  return error.code == ErrorCode::unknown_row || error.code == ErrorCode::path_not_allowed;
}

}  // namespace

Result<void> stat_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            std::span<FileStat> out) {
  for (const auto& [folder, group] : by_folder(paths)) {
    std::vector<FileStat> stats(group.names.size());
    const auto done = files.stat_all(full_folder(database, folder), group.names, stats);
    if (!done && !is_gone(done.error())) return done;
    for (std::size_t i = 0; i < stats.size(); ++i)
      out[group.places[i]] = stats[i];
  }
  return {};
}

Result<void> read_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            const std::function<void(const FileView&)>& take) {
  for (const auto& [folder, group] : by_folder(paths)) {
    const auto take_one = [&, &places = group.places](FileView file) {
      file.index = places[file.index];
      take(file);
    };
    const auto done = files.read_all(full_folder(database, folder), group.names, take_one);
    if (done) continue;
    if (!is_gone(done.error())) return done;
    for (const std::size_t place : group.places) {
      FileView missing;
      missing.index = place;
      missing.state = ReadState::missing;
      take(missing);
    }
  }
  return {};
}

void RowLook::add(std::string_view path, const StatKey& key) {
  paths_.emplace_back(path);
  keys_.push_back(key);
}

Result<std::vector<std::string>> RowLook::stale(const FileSystem& files,
                                                std::string_view database) const {
  std::vector<const char*> names;
  names.reserve(paths_.size());
  for (const std::string& path : paths_)
    names.push_back(path.c_str());
  std::vector<FileStat> stats(paths_.size());
  if (auto done = stat_row_files(files, database, names, stats); !done) return done.error();
  std::vector<std::string> stale = unsure_;
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const bool same = stats[i].kind == FileKind::regular && stats[i].key == keys_[i];
    if (!same) stale.push_back(paths_[i]);
  }
  return stale;
}

}  // namespace notesdb
