// Repository: the git repository that a workspace lies in, reached through the user's own git.
//
//   Result<Repository> repository = Repository::around(root);
//   Result<std::string> commit = repository->commit_of("HEAD~3");
//
// Every question is one run of `git` (git_run.h), so configuration, credentials and ignore files
// are the user's. What the repository itself says is data, never a program to run, unless the user
// trusts it (folder_programs.h): a run that only looks has such keys switched off, and one that
// changes something is refused. Paths given and answered are those of the workspace, whatever
// folder the repository begins at. Messages name no path of this machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "git/folder_programs.h"
#include "git/git_run.h"

namespace notesdb {

// The tree without a file: what stands before the first commit.
inline constexpr const char* empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

// A name in the tree of a commit.
struct TreeEntry {
  std::string mode;  // 100644, 120000 (a link), 040000 (a folder), 160000 (a submodule)
  std::string id;    // of its object
  std::string path;  // from the workspace root
};

// One file that differs between two states. A file that was not there has an empty id; so has one
// of the work tree, whose bytes are on the disk.
struct FileChange {
  char status = 'M';  // A added, D deleted, M modified, R renamed, T another kind, U unmerged
  std::string path;
  std::string old_path;  // the same, but for a rename
  std::string old_id = {};
  std::string new_id = {};
  std::string old_mode = {};  // as in TreeEntry
  std::string new_mode = {};
};

// One run of git in the workspace.
struct GitCall {
  Words words;
  std::string input = {};
  std::vector<std::string> environment = {};  // NAME=value, over ours
  SignalsOf signals = SignalsOf::its_own;
  GitUse use = GitUse::look;
  Pathspecs pathspecs = Pathspecs::literal;
};

class Repository {
 public:
  // Fails with invalid_argument if the folder is in no repository with a work tree, and io_error if
  // there is no git. A folder that is made like a git directory is no repository, and one whose
  // work tree is said to be elsewhere (core.worktree) is refused.
  static Result<Repository> around(const std::string& root);

  const std::string& root() const { return root_; }
  // The workspace within the work tree: empty, or "notes/" with its slash.
  const std::string& prefix() const { return prefix_; }

  // Runs git in the workspace. Killing us does not kill it, so that no lock of git is left after;
  // what talks to a network, and may ask a person for a password, takes our signals.
  Result<ProgramEnd> run(const GitCall& call) const;
  Result<ProgramEnd> run(const Words& words, const std::string& input = "") const {
    return run(GitCall{words, input});
  }
  // What git prints, without the last line end; a failure is an error in git's words.
  Result<std::string> ask(const GitCall& call) const;
  Result<std::string> ask(const Words& words, const std::string& input = "") const {
    return ask(GitCall{words, input});
  }
  // A run that changes something, as ask(). Fails with path_not_allowed as check_programs().
  Result<std::string> change(const Words& words, const std::string& input = "") const {
    return ask(GitCall{.words = words, .input = input, .use = GitUse::change});
  }
  // Fails with path_not_allowed, naming them, where the repository itself names programs that a
  // change would run, and the user does not trust it.
  Result<void> check_programs() const;
  // What a failed run said, as an error.
  Error failure(const ProgramEnd& end, std::string_view doing) const;

  // The commit that a revision, or a date (its end, where it has no time), names. Fails with
  // invalid_argument where it names none.
  Result<std::string> commit_of(std::string_view revision) const;
  // The file of attributes that no commit holds; absolute.
  const std::string& attributes_path() const { return attributes_path_; }
  // A hook's path, wherever git looks for hooks; absolute.
  std::string hook_path(const std::string& name) const {
    return programs_.hooks_folder() + "/" + name;
  }
  // The folder of what belongs to this work tree alone, such as MERGE_HEAD; absolute.
  const std::string& own_folder() const { return own_folder_; }
  // What git's configuration said when this was made; the name as git lists it.
  std::optional<std::string> config(std::string_view name) const;
  // As ask(), of what is asked of commits by their ids: it never changes, and git is run once.
  Result<std::string> ask_once(const Words& words) const;
  // Where two commits, given by their ids, have parted; more than one where they met crosswise, none
  // where they have nothing in common.
  Result<std::vector<std::string>> merge_bases(const std::string& a, const std::string& b) const;
  // The commit of HEAD; nothing before the first one.
  std::optional<std::string> head() const;
  // The branch of HEAD; empty where there is none.
  std::string branch() const;

  // All names of a commit below the workspace. Empty where the workspace did not exist.
  Result<std::vector<TreeEntry>> tree_of(const std::string& commit) const;
  // The bytes of objects, in order; one that is missing is an error.
  Result<std::vector<std::string>> read_objects(const std::vector<std::string>& ids) const;
  // A file's bytes in a commit; empty where there is none.
  Result<std::optional<std::string>> file_in(const std::string& commit,
                                             std::string_view path) const;
  // What differs below the workspace; `words` say between what, as `git diff` takes it.
  Result<std::vector<FileChange>> changes(const Words& words) const;
  // Between HEAD and the work tree, renames as two changes; nothing before the first commit.
  Result<std::vector<FileChange>> changes_since_head() const;
  // The same of each commit that `git log` names for `words`, one after the other; nothing of
  // merges.
  Result<std::vector<FileChange>> logged_changes(const Words& words) const;
  // The files of the workspace that git neither knows nor ignores; of a repository within this one
  // only its folder, with a slash after it.
  Result<std::vector<std::string>> untracked() const;
  // What `git status` says of the workspace, untracked files among it: "XY path", paths from the top
  // of the work tree; X is the index, Y the work tree.
  Result<std::vector<std::string>> status() const;
  // As changes, between a commit and the work tree, with those that are untracked.
  Result<std::vector<FileChange>> changes_since(const std::string& commit) const;

 private:
  Result<std::vector<FileChange>> raw_changes(Words command, const Words& words) const;
  Result<void> read_some(std::span<const std::string> ids, std::vector<std::string>& objects) const;

  std::string root_;
  std::string top_;
  std::string prefix_;
  std::string own_folder_;
  std::string attributes_path_;
  std::vector<GitSetting> settings_;
  FolderPrograms programs_;
  mutable std::map<Words, std::string> answers_;  // of ask_once()
};

// The items of a list that git prints with -z.
std::vector<std::string> items_of(std::string_view text);

// The changes in what `git diff --raw -z --no-abbrev` prints; paths below `prefix` only. A file
// that a merge changed (`-c`) is there once for each side.
std::vector<FileChange> parse_raw_changes(std::string_view text, std::string_view prefix);

// Since when a file of the workspace is changed, for a check that looks only at what is about to be
// committed.
enum class ChangedSince {
  head,   // anything that differs from the last commit, files unknown to git among it
  index,  // only what is staged
};

// The files that are changed, from the workspace root, without those that were deleted. A repository without a commit
// has everything changed.
Result<std::set<std::string, std::less<>>> changed_paths(const Repository& repository,
                                                         ChangedSince since);

// Has git keep beside each commit which paths it changed (`git commit-graph write --changed-paths`),
// so that the log of one row need not look into every commit (a tenth of the time, and less). Any
// git may rewrite or drop these filters. Makes those that are missing: some milliseconds after a commit, a second for the first thousand.
// Nothing where git's configuration is without a commit graph, or git cannot; the log is slower
// then.
void keep_path_filters(const Repository& repository);

}  // namespace notesdb
