// Folder programs: which programs the configuration of a repository itself names.
//
//   filter.crypt.clean      by its own config, or what that includes
//   hooks/pre-commit        in its own folder of hooks
//
// A clone as git makes it has none of them; one that was unpacked, or prepared by somebody, may.
// What the user's global or system configuration names is the user's choice, and not listed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace notesdb {

// One line of git's configuration.
struct GitSetting {
  std::string scope;  // system, global, local, worktree
  std::string key;    // section and name in small letters, as git lists them
  std::string value;
};

// The configuration that counts in a folder, later ones over earlier ones.
Result<std::vector<GitSetting>> git_settings(const std::string& folder);

class FolderPrograms {
 public:
  FolderPrograms() = default;
  // `top` is the work tree's folder; `hooks` the git directory's folder of hooks.
  FolderPrograms(const std::vector<GitSetting>& settings,
                 const std::string& top,
                 const std::string& hooks);

  // What git would run in a commit, a merge or a sync: keys, and hooks as hooks/NAME.
  const std::vector<std::string>& names() const { return names_; }
  // The same keys with values that run nothing.
  const std::vector<std::pair<std::string, std::string>>& switched_off() const { return off_; }
  // Whether the user lets this repository name programs: by `notesdb.trust` of the global or
  // system configuration, which holds the folder of its work tree, or `*`.
  bool is_trusted() const { return is_trusted_; }
  // Where git looks for hooks; absolute.
  const std::string& hooks_folder() const { return hooks_; }

 private:
  void add_hooks();

  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> off_;
  std::string hooks_;
  bool is_trusted_ = false;
};

// The pre-commit hook that `git setup --hook` writes; the one hook in a repository that is ours.
std::string own_hook(const std::string& root);

}  // namespace notesdb
