// Root: the workspace's folder, opened once; every other file is opened from it. FolderCache: the
// folders below it that stay open from one call to the next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/descriptor.h"

namespace notesdb {

class Root {
 public:
  static Result<Root> open(const std::string& path);

  // A file, opened for reading, of any kind (the caller looks). `path` has passed check_path.
  Result<Descriptor> open_file(std::string_view path) const;
  // A folder, ready for listing and syncing.
  Result<Descriptor> open_folder(std::string_view path) const;

  // Fails with io_error when the folder has been removed, moved, or replaced by another.
  Result<void> check_alive() const;

  int descriptor() const { return folder_.get(); }
  std::uint64_t device() const { return identity_.device; }
  std::uint64_t inode() const { return identity_.inode; }
  const std::string& path() const { return path_; }

 private:
  Descriptor folder_;
  std::string path_;  // never part of a message
  StatKey identity_;
};

struct OpenFolder {
  Descriptor file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// A folder is opened again only if another lies at its path, or none. Which one lies there is asked
// each time, on the way that Root::open_folder goes: every folder by its name in the one above it,
// links not followed, must be the very one that is kept. It is open, so its inode cannot have
// become another's meanwhile. A look is a small part of opening, looking and closing.
//
// Folders of other file systems than the root's are not kept, so that they can be unmounted.
class FolderCache {
 public:
  explicit FolderCache(const Root& root) : root_(root) {}

  // Ready for all but listing, whose place in the list would be shared. Fails as
  // Root::open_folder does. For several threads at once.
  Result<std::shared_ptr<const OpenFolder>> open(std::string_view path);

 private:
  // What is kept of the path, if it still lies there.
  const std::shared_ptr<const OpenFolder>* find(std::string_view path);
  void keep(std::string_view path, const std::shared_ptr<const OpenFolder>& folder);

  const Root& root_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const OpenFolder>, std::less<>> kept_;
};

}  // namespace notesdb
