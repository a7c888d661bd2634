// CommitFiles: the files of a workspace as they were in one commit, asked like a disk.
//
// So the same code answers from the past as from today: schemas, rows, tables. The names come from
// the commit's tree at once; bytes come from git's objects, a folder at a time, and are remembered
// under the cache folder by the folder's tree id, which names its content for ever. The cache can
// be deleted at any moment; a damaged file of it is read anew from git.
//
// A file's time is that of the commit. Nothing can be written: every change is read_only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "git/repository.h"
#include "git/text_cache.h"

namespace notesdb {

class CommitFiles : public FileSystem {
 public:
  enum class Remember { in_memory, on_disk };

  // Fails with invalid_argument where the workspace did not exist in that commit.
  static Result<std::unique_ptr<CommitFiles>> open(const Repository& repository,
                                                   const std::string& commit,
                                                   Remember remember);

  Result<std::vector<Entry>> list(std::string_view folder) const override;
  Result<FileStat> stat(std::string_view path) const override;
  Result<void> stat_all(std::string_view folder,
                        std::span<const char* const> names,
                        std::span<FileStat> out) const override;
  Result<FileBytes> read(std::string_view path, std::uint64_t cap = largest_file) const override;
  Result<void> read_all(std::string_view folder,
                        std::span<const char* const> names,
                        const std::function<void(const FileView&)>& take) const override;
  Result<HeldLock> lock() override;
  Result<void> recover() override { return {}; }
  Result<Written> apply(const std::vector<Step>& steps) override;
  Result<std::vector<Kept>> history(std::string_view path, std::size_t most) const override;
  Result<FileBytes> read_kept(std::string_view file) const override;
  Result<std::vector<Step>> undo_steps(std::string_view change) const override;

 private:
  struct Node {
    FileKind kind = FileKind::missing;
    std::string id;  // of its object
  };
  using Texts = NamedTexts;
  struct Folder {
    std::map<std::string, Node, std::less<>> nodes;
    std::string tree;
    Texts texts;  // of its regular files, once they are loaded
    bool is_loaded = false;
  };

  CommitFiles(Repository repository, Remember remember)
      : repository_(std::move(repository)), remember_(remember) {}
  void add(const TreeEntry& entry);
  const Folder* find_folder(std::string_view folder) const;
  const Node* find(std::string_view path) const;
  FileStat stat_of(const Node& node) const;
  Result<const Texts*> load(std::string_view folder) const;
  Result<Texts> read_objects_of(const Folder& folder) const;

  Repository repository_;
  Remember remember_;
  std::int64_t time_ns_ = 0;
  mutable std::mutex mutex_;  // of what is loaded
  mutable std::map<std::string, Folder, std::less<>> folders_;
};

}  // namespace notesdb
