// RowCache: what a Database remembers of its folder between two questions, and the proof that it
// still holds.
//
//   std::lock_guard guard(cache.mutex());
//   auto folder = cache.folder();   // the schema as it is now
//   auto table = cache.rows();      // every file verified, what changed read again
//
// Each question verifies: the schema file by its stat key, the list of names by the stat keys of
// the folders, every row by its own. With the cache off everything is read anew. The answers are
// the same.
//
// Between two processes an index file does the remembering (index_file.h). It is written when that
// pays: at first, and when many rows have changed or the folder's names have.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "index/database_folder.h"
#include "index/row_table.h"

namespace notesdb {

class RowCache {
 public:
  // `index_path` is an absolute path outside the workspace; empty: no index file. `root_key` tells
  // workspaces apart.
  struct Memory {
    bool remember = true;
    std::string index_path{};
    std::string root_key{};
  };
  RowCache(const FileSystem& files, std::string database_id, Memory memory);

  // To be held from folder() until the table is no longer looked at.
  std::mutex& mutex() { return mutex_; }

  // The schema and names as they are now.
  Result<std::shared_ptr<const DatabaseFolder>> folder();
  // The rows as they are now, read through the folder that folder() gave last; it succeeded.
  Result<const RowTable*> rows();
  // What is wrong with the names in the folder, as of the last rows().
  const std::vector<Issue>& listing_issues() const { return listing_issues_; }

 private:
  bool is_schema_unchanged() const;
  bool are_names_unchanged() const;
  Result<void> list();
  std::string index_key() const;
  void load_index();
  bool pays_to_save(bool names_changed) const;
  void save_index();

  const FileSystem& files_;
  std::string id_;
  Memory memory_;
  std::mutex mutex_;
  std::shared_ptr<const DatabaseFolder> folder_;
  bool schema_sure_ = false;
  std::unique_ptr<RowTable> table_;
  std::vector<RowListing::Folder> folders_;
  bool names_sure_ = false;
  std::vector<Issue> listing_issues_;
  bool is_saved_ = false;  // the index file holds the table, but for read_since_saved_ rows
  std::size_t read_since_saved_ = 0;
};

}  // namespace notesdb
