// RowLook: some rows as a table knew them, to be looked at beside it, while it is asked and
// changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

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
