// Database search: the folders of a workspace that are databases.
//
// Any program may make one, so they are looked for at every question. A folder that the kernel
// gives the same stamps as when it was last listed holds the same names and is not listed again:
// then a workspace of many rows costs a look at each of its folders.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "files/file_system.h"

namespace notesdb {

// The ids of all databases in natural order, and what stood in the way of finding more: folders
// that are links, schema files that are no regular files.
struct DatabaseIds {
  std::vector<std::string> ids;
  std::vector<Issue> issues;
  std::vector<std::string> base_files;  // paths of the .base files beside and in them
};

// May be asked by several threads at once.
class DatabaseSearch {
 public:
  DatabaseIds find(const FileSystem& files);

 private:
  // What one folder says.
  struct Folder {
    StatKey key;
    bool is_sure = false;  // the key tells every later state
    bool is_database = false;
    std::vector<Issue> issues;
    std::vector<std::string> below;  // to be looked into
    std::vector<std::string> base_files;
  };
  static Folder list(const FileSystem& files, const std::string& path);

  std::mutex mutex_;
  std::map<std::string, Folder> known_;
};

}  // namespace notesdb
