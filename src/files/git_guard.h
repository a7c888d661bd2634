// GitGuard: whether git is changing the files of this workspace right now.
//
// git writes rows by unlinking and creating them again, under `index.lock` of its git directory:
// that of the row's folder or of the nearest one above it, be that below the workspace root, the
// root or above it, also where `.git` is a file that names the directory (worktrees, submodules).
// While that lock is there, we do not write.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

// The git directory that governs a folder, and where that is one worktree's of several, the one
// that they share; empty if there is none.
std::vector<std::string> git_directories_of(const std::string& folder);

class GitGuard {
 public:
  using Folders = std::set<std::string, std::less<>>;

  // The workspace root, by its path from an open folder, which stays open as long as this is used,
  // or from AT_FDCWD.
  GitGuard(int base, std::string root) : base_(base), root_(std::move(root)) {}

  // In the repository of any of these folders, whose paths are from the root and need not exist
  // yet.
  bool git_is_working(const Folders& folders = {"."}) const;
  // Waits for git to finish in the repositories of all these folders; fails with busy after
  // `patience`.
  Result<void> wait(const Folders& folders, std::chrono::milliseconds patience) const;

 private:
  int base_;
  std::string root_;
  mutable std::atomic<int> height_{0};  // how many folders were above the root when last counted
};

}  // namespace notesdb
