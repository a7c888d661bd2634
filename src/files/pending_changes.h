// PendingChanges: tells of what is changed on a PendingFiles, as a Watch does of a disk.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "files/change_source.h"

namespace notesdb {

class PendingChanges : public ChangeSource {
 public:
  // `files` must outlive it.
  explicit PendingChanges(const FileSystem& files) : files_(files) {}

  Result<StatKey> add(std::string_view folder) override;
  void remove(std::string_view folder) override;
  Changes drain() override;

  // The file or folder at this path was made, changed or removed. Told as a change of the nearest
  // name above it that lies in a watched folder.
  void note(std::string_view path);

 private:
  const FileSystem& files_;
  std::set<std::string, std::less<>> folders_;
  Changes changes_;
};

}  // namespace notesdb
