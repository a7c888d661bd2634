#include "index/row_look.h"

#include "index/row_files.h"

namespace notesdb {

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
