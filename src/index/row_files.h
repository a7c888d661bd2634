// Row files: stat and read the files of many rows at once, wherever below a database they lie.
//
// files/ wants the bare names of one folder; rows may lie in many. Names are paths relative to the
// database that end in NUL.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

// out[i] belongs to paths[i]; a folder that is gone makes its files missing.
Result<void> stat_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            std::span<FileStat> out);

// `take` as of FileSystem::read_all, with indexes into `paths`.
Result<void> read_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            const std::function<void(const FileView&)>& take);

// RowLook: some rows as a table knew them, to be looked at beside it, while it is asked and
// changes.

class RowLook {
 public:
  // A row whose stat key tells whether it changed, and one that must be read again in any case.
  void add(std::string_view path, const StatKey& key);
  void add_unsure(std::string_view path) { unsure_.emplace_back(path); }

  // The paths of those that are to be read again.
  Result<std::vector<std::string>> stale(const FileSystem& files, std::string_view database) const;

 private:
  std::vector<std::string> unsure_;
  std::vector<std::string> paths_;
  std::vector<StatKey> keys_;
};

}  // namespace notesdb
