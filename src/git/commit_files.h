// CommitFiles: the files of a workspace as they were in one commit, asked like a disk.
//
// So the same code answers from the past as from today: schemas, rows, tables. The names come from
// the commit's tree at once; bytes come from git's objects, those that are asked for together in
// one run of git.
//
// A file's time is that of the commit, and its inode number is made of its object's id, so that an
// index of rows knows a file again. Nothing can be written: every change is read_only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "git/repository.h"

namespace notesdb {

class CommitFiles : public FileSystem {
 public:
  // Fails with invalid_argument where the workspace did not exist in that commit.
  static Result<std::unique_ptr<CommitFiles>> open(const Repository& repository,
                                                   const std::string& commit);

  Result<std::vector<Entry>> list(std::string_view folder) const override;
  Result<FileStat> stat(std::string_view path) const override;
  Result<void> stat_all(std::string_view folder,
                        std::span<const char* const> names,
                        std::span<FileStat> out) const override;
  Result<FileBytes> read(std::string_view path, std::uint64_t cap = max_file) const override;
  Result<void> read_all(std::string_view folder,
                        std::span<const char* const> names,
                        const std::function<void(const FileView&)>& take) const override;
  Result<HeldLock> lock() override;
  Result<void> recover() override { return {}; }
  Result<Written> apply(const std::vector<Step>& steps, std::string_view what = {}) override;
  Result<void> past_changes(const std::function<bool(PastChange&)>& take) const override;
  Result<FileBytes> read_kept(std::string_view file) const override;
  Result<std::vector<Step>> undo_steps(std::string_view change) const override;

 private:
  struct Node {
    FileKind kind = FileKind::missing;
    std::string id;  // of its object
  };
  using Folder = std::map<std::string, Node, std::less<>>;

  explicit CommitFiles(Repository repository) : repository_(std::move(repository)) {}
  void add(const TreeEntry& entry);
  const Folder* find_folder(std::string_view folder) const;
  const Node* find(std::string_view path) const;
  FileStat stat_of(const Node& node) const;

  Repository repository_;
  std::int64_t time_ns_ = 0;
  std::map<std::string, Folder, std::less<>> folders_;
};

}  // namespace notesdb
