// ChangeSource: tells which names have been changed in some folders since it was last asked.
//
// It is a hint that saves looking, never a truth: where there is none, or it lost count, the caller
// looks at every file, and gets the same answer. Of a disk the kernel tells (watch.h), of changes
// that are only collected whoever collects them (pending_files.h).
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

// A name in a watched folder, as it was added; an empty name is the folder itself.
struct ChangedName {
  std::string folder;
  std::string name;
  friend auto operator<=>(const ChangedName&, const ChangedName&) = default;
};

struct Changes {
  std::set<ChangedName> names;
  bool overflow = false;  // some were lost: anything may have changed
};

class ChangeSource {
 public:
  ChangeSource() = default;
  ChangeSource(const ChangeSource&) = delete;
  ChangeSource& operator=(const ChangeSource&) = delete;
  virtual ~ChangeSource() = default;

  // From now on changes in this folder (not in those below it) are told; which folder that is, by
  // its device and inode. Fails where it cannot be watched.
  virtual Result<StatKey> add(std::string_view folder) = 0;
  // No longer.
  virtual void remove(std::string_view folder) = 0;
  // What has changed since the last drain, each name once. Never waits.
  virtual Changes drain() = 0;
};

}  // namespace notesdb
