// Root: the workspace's folder, opened once; every other file is opened from it.
#pragma once

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

}  // namespace notesdb
