// RowPaths: which database and row a path of the workspace is, and which database stands where.
//
// Schemas are read once, when first asked for. A path in no database, or whose name is not a row's, is
// simply none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "index/database_folder.h"

namespace notesdb {

struct RowPath {
  std::string database_id;
  std::string row_id;
  std::shared_ptr<const DatabaseFolder> folder;
};

class RowPaths {
 public:
  explicit RowPaths(const FileSystem& files) : files_(files) {}

  std::optional<RowPath> find(std::string_view path);
  // The database that a folder is; a null pointer if it is none that can be read.
  std::shared_ptr<const DatabaseFolder> database(std::string_view folder);

 private:
  const FileSystem& files_;
  std::map<std::string, std::shared_ptr<const DatabaseFolder>, std::less<>> known_;
};

}  // namespace notesdb
