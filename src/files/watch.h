// Watch: which folders have been changed since we last asked, by the kernel's word.
//
//   watch.add("stories");
//   ...
//   Changes changes = watch.drain();   // then answer: nothing that was saved before is missed
//   if (changes.overflow) ...          // look at everything once
//
// The kernel queues an event before the call that made it returns, so a drain sees whatever was
// finished before it. What it cannot see: a store through a memory map, a write through a hard link
// in a folder that is not watched, and a folder above that is renamed. Folders on file systems that
// others change after the kernel's back (network, FUSE) are refused.
//
// It is a hint that saves looking, never a truth: where there is none, or it lost count, the caller
// looks at every file, and gets the same answer.
//
// A watch follows the folder that it was given, not the path: when a folder is renamed or removed
// it says so once, with an empty name, and the caller adds it again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/file_system.h"
#include "files/root.h"

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

class Watch {
 public:
  // `root` must outlive it. Without inotify every add fails.
  explicit Watch(const Root& root);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // From now on changes in this folder (not in those below it) are told; which folder that is, by
  // its device and inode. Fails with limit_exceeded when the system allows no more watches,
  // io_error where it cannot watch.
  Result<StatKey> add(std::string_view folder);
  // No longer.
  void remove(std::string_view folder);
  // What has changed since the last drain, each name once. Never waits.
  Changes drain();

 private:
  void note(int watch, std::string_view name, std::uint32_t what, Changes& changes);

  const Root& root_;
  Descriptor queue_;
  std::map<int, std::string> folders_;  // by the kernel's number
};

}  // namespace notesdb
