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
// A watch follows the folder that it was given, not the path: when a folder is renamed or removed
// it says so once, with an empty name, and the caller adds it again.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "files/change_source.h"
#include "files/root.h"

namespace notesdb {

class Watch : public ChangeSource {
 public:
  // `root` must outlive it. Without inotify every add fails.
  explicit Watch(const Root& root);

  // Fails with limit_exceeded when the system allows no more watches, io_error where it cannot
  // watch.
  Result<StatKey> add(std::string_view folder) override;
  void remove(std::string_view folder) override;
  Changes drain() override;

 private:
  void note(int watch, std::string_view name, std::uint32_t what, Changes& changes);

  const Root& root_;
  Descriptor queue_;
  std::map<int, std::string> folders_;  // by the kernel's number
};

}  // namespace notesdb
