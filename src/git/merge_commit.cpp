#include "git/merge_commit.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "git/killed_merge.h"
#include "git/merge_ahead.h"

namespace notesdb {

namespace {

constexpr std::string_view strategy = "notesdb";

// Called by git as `git-merge-notesdb BASE... -- HEAD THEIRS`. If HEAD is not what the trees were
// made for, git merges alone.
std::string script_of(const TreesToMerge& trees,
                      const std::string& head,
                      const CommitToMerge& other) {
  return "#!/bin/sh\n"
         "# Made by notesdb for one merge: the rows that both sides changed are merged already in\n"
         "# these two trees.\n"
         "if [ \"$*\" = '" +
         trees.commit + " -- HEAD " + other.commit +
         "' ] &&\n"
         "   [ \"$(git rev-parse HEAD)\" = " +
         head +
         " ]; then\n"
         "  GITHEAD_" +
         trees.theirs + "=" + quoted_for_shell(other.name) +
         "\n"
         "  export GITHEAD_" +
         trees.theirs +
         "\n"
         "  exec git merge-recursive --no-renames " +
         trees.base + " -- HEAD " + trees.theirs +
         "\n"
         "fi\n"
         "exec git merge-recursive --no-renames \"$@\"\n";
}

// A folder on git's path that holds the strategy, for as long as this lives, and nothing else: git
// and its shell look there first, so whatever is there already goes.
class StrategyFolder {
 public:
  explicit StrategyFolder(const Repository& repository)
      : folder_(repository.own_folder() + "/notesdb-merge"),
        program_(folder_ + "/git-merge-" + std::string(strategy)) {
    std::error_code failed;
    std::filesystem::remove_all(folder_, failed);
    is_made_ = ::mkdir(folder_.c_str(), S_IRWXU) == 0;
  }
  StrategyFolder(const StrategyFolder&) = delete;
  StrategyFolder& operator=(const StrategyFolder&) = delete;
  ~StrategyFolder() {
    if (!is_made_) return;
    ::unlink(program_.c_str());
    ::rmdir(folder_.c_str());
  }

  // Whether git can run it; not so where programs of this file system are not run.
  bool write(const std::string& script) const {
    if (!is_made_ || folder_.find(':') != std::string::npos) return false;
    std::ofstream file(program_, std::ios::binary | std::ios::trunc);
    file << script;
    file.close();
    return file.good() && ::chmod(program_.c_str(), S_IRWXU) == 0 &&
           ::access(program_.c_str(), X_OK) == 0;
  }

  std::string path_variable() const {
    for (const std::string& variable : own_environment())
      if (variable.starts_with("PATH=")) return "PATH=" + folder_ + ":" + variable.substr(5);
    return "PATH=" + folder_;
  }

 private:
  std::string folder_;
  std::string program_;
  bool is_made_ = false;
};

// By a strategy given in `words`, or git's own.
Result<ProgramEnd> merge(const Repository& repository,
                         const CommitToMerge& other,
                         const Words& words,
                         const std::string& tree = "",
                         std::vector<std::string> environment = {}) {
  // A merge may fetch what a partial clone has not got.
  GitCall call{.words = {"-c", "gc.auto=0", "-c", "maintenance.auto=false", "merge"},
               .environment = std::move(environment),
               .use = GitUse::network};
  call.words.insert(call.words.end(), {"--ff", "--no-edit", "--quiet"});
  call.words.insert(call.words.end(), words.begin(), words.end());
  call.words.insert(call.words.end(), {"-m", other.message, other.commit});
  const MergeMark mark(repository, other.commit, tree);
  return repository.run(call);
}

}  // namespace

// No rename is guessed: those that were recorded are in the trees. Not by `ort`, which (in
// git 2.39) follows renames even where it is told not to.
Result<ProgramEnd> merge_commit(Workspace& workspace,
                                const Repository& repository,
                                const CommitToMerge& other) {
  Result<std::string> head = repository.ask({"rev-parse", "HEAD"});
  Result<std::optional<TreesToMerge>> trees = merge_ahead(workspace, repository, other.commit);
  StrategyFolder folder(repository);
  if (!trees || !*trees || !head || !folder.write(script_of(**trees, *head, other)))
    return merge(repository, other, {"--strategy=recursive", "-Xno-renames"});
  return merge(repository,
               other,
               {"--strategy=" + std::string(strategy)},
               (*trees)->theirs,
               {folder.path_variable()});
}

}  // namespace notesdb
