// GitGuard: whether git is changing the files of this workspace right now.
//
// git writes rows by unlinking and creating them anew, under `index.lock` of its git directory:
// that of the workspace root or of the nearest folder above it, also where `.git` is a file that
// names the directory (worktrees, submodules). While that lock is there, we do not write.
#pragma once

#include <chrono>
#include <string>

#include "core/result.h"

namespace notesdb {

class GitGuard {
 public:
  explicit GitGuard(std::string root) : root_(std::move(root)) {}

  bool git_is_working() const;
  // Waits for git to finish; fails with busy after `patience`.
  Result<void> wait(std::chrono::milliseconds patience) const;

 private:
  std::string root_;
};

}  // namespace notesdb
