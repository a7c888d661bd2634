// FolderCache: folders of the workspace that stay open from one call to the next.
//
// A folder is opened again only if another lies at its path, or none. Which one lies there is asked
// each time, on the way that Root::open_folder goes: every folder by its name in the one above it,
// links not followed, must be the very one that is kept. It is open, so its inode cannot have
// become another's meanwhile. A look is a small part of opening, looking and closing.
//
// Folders of other file systems than the root's are not kept, so that they can be unmounted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "files/root.h"

namespace notesdb {

struct OpenFolder {
  Descriptor file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

class FolderCache {
 public:
  explicit FolderCache(const Root& root) : root_(root) {}

  // Ready for all but listing, whose place in the list would be shared. Fails as
  // Root::open_folder does. For several threads at once.
  Result<std::shared_ptr<const OpenFolder>> open(std::string_view path);

 private:
  using JournalEntry = std::map<std::string, std::shared_ptr<const OpenFolder>, std::less<>>;

  // What is kept of the path, if it still lies there.
  const std::shared_ptr<const OpenFolder>* find(std::string_view path);
  void keep(std::string_view path, const std::shared_ptr<const OpenFolder>& folder);

  const Root& root_;
  std::mutex mutex_;
  JournalEntry kept_;
};

}  // namespace notesdb
