#include "git/merge_commit.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "files/names.h"
#include "git/killed_merge.h"
#include "git/renumber.h"
#include "git/row_difference.h"
#include "git/row_merge.h"

namespace notesdb {

namespace {

// Merge ahead: the rows that both sides changed, merged in this process before git merges the rest.
//
// git starts the driver of setup.h once for each such row, which is long for a thousand. So two
// trees are made for git to merge in place of its own: in `base` those rows are as ours, in
// `theirs` as merged, and git finds them changed on one side. Everything else in the two trees is
// as it was: a row left in conflict, a schema, a row that was renamed still go through the driver.
//
// Nothing but objects is written, and they are of no use to anybody else: no branch, index or file
// of the user changes.

struct TreesToMerge {
  std::string commit;  // where the two sides parted
  std::string base;    // trees, to be merged in place of those of `commit` and of theirs
  std::string theirs;
  std::size_t rows = 0;
};

constexpr std::size_t worth_while = 16;
constexpr std::size_t id_length = 40;

std::size_t min_rows(const Repository& repository) {
  std::string text = repository.config("notesdb.mergeAhead").value_or("");
  std::size_t number = worth_while;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max<std::size_t>(number, 1);
}

bool is_ordinary(const FileChange& change) {
  constexpr std::string_view mode = "100644";
  return change.old_mode == mode && change.new_mode == mode;
}

struct MergedRow {
  std::string path;
  std::string base;  // objects
  std::string ours;
  std::string theirs;
  std::string merged;  // of bytes first, then of the object that holds them
};

// An index of git's apart from the user's, gone when we are done with it.
class IndexApart {
 public:
  explicit IndexApart(const Repository& repository)
      : repository_(repository),
        path_(repository.own_folder() + "/notesdb-index-" + std::to_string(::getpid())) {}
  IndexApart(const IndexApart&) = delete;
  IndexApart& operator=(const IndexApart&) = delete;
  ~IndexApart() { static_cast<void>(std::remove(path_.c_str())); }

  // The tree of a commit with other objects at some paths, given as `git update-index` takes them.
  Result<std::string> tree_with(const std::string& commit, const std::string& entries) const {
    Result<std::string> done = run({"read-tree", commit});
    if (done) done = run({"update-index", "-z", "--index-info"}, entries);
    return done ? run({"write-tree"}) : done;
  }

 private:
  Result<std::string> run(const Words& words, const std::string& input = "") const {
    GitCall call{{"-c", "core.splitIndex=false"}, input};
    call.words.insert(call.words.end(), words.begin(), words.end());
    call.environment = {"GIT_INDEX_FILE=" + path_};
    Result<ProgramEnd> end = repository_.run(call);
    if (!end) return end.error();
    if (!end->ok()) return repository_.failure(*end, words.front());
    return end->out.substr(0, end->out.find('\n'));
  }

  const Repository& repository_;
  std::string path_;
};

class MergingAhead {
 public:
  MergingAhead(Workspace& workspace, const Repository& repository, std::string upstream)
      : repository_(repository), upstream_(std::move(upstream)), paths_(workspace.files()) {}

  Result<std::optional<TreesToMerge>> run() {
    std::optional<TreesToMerge> none;
    Result<std::string> bases = repository_.ask({"merge-base", "--all", "HEAD", upstream_});
    if (!bases || bases->find('\n') != std::string::npos) return none;
    base_ = *bases;
    Result<bool> renamed = follow_renames(*bases);
    if (!renamed) return renamed.error();
    if (Result<void> done = find_rows(base_); !done) return done.error();
    const std::size_t fewest = *renamed ? 0 : min_rows(repository_);
    if (rows_.size() < fewest) return none;
    if (Result<void> done = keep_those_of_the_driver(); !done) return done.error();
    if (Result<void> done = merge_rows(); !done) return done.error();
    if (rows_.size() < fewest) return none;
    if (Result<void> done = store(); !done) return done.error();
    return trees(*bases);
  }

 private:
  // Where a row was renamed, the trees of where the sides parted and of theirs are made over as if
  // it had had its new name in all of them; HEAD has it already (renumber.h). Whether there is one.
  Result<bool> follow_renames(const std::string& base) {
    std::map<std::string, std::string> names;
    for (const std::string& side : {upstream_, std::string("HEAD")}) {
      Result<std::vector<RecordedRename>> renames = renames_since(repository_, base, side);
      if (!renames) return renames.error();
      for (const RecordedRename& rename : *renames)
        names[rename.old_path] = rename.new_path;
    }
    Result<std::vector<TreeEntry>> head = repository_.tree_of("HEAD");
    if (!head) return head.error();
    for (const TreeEntry& entry : *head)
      names.erase(entry.path);  // not renamed here, for another row has that name
    if (names.empty()) return false;
    for (std::string* const tree : {&base_, &upstream_}) {
      Result<std::string> entries = moved_entries(*tree, names);
      if (!entries) return entries.error();
      Result<std::string> made = IndexApart(repository_).tree_with(*tree, *entries);
      if (!made) return made.error();
      *tree = *made;
    }
    return true;
  }

  // As `git update-index` takes them.
  Result<std::string> moved_entries(const std::string& tree,
                                    const std::map<std::string, std::string>& names) const {
    Result<std::vector<TreeEntry>> entries = repository_.tree_of(tree);
    if (!entries) return entries.error();
    std::set<std::string_view> paths;
    for (const TreeEntry& entry : *entries)
      paths.insert(entry.path);
    const std::string nothing(id_length, '0');
    std::string lines;
    for (const TreeEntry& entry : *entries) {
      const auto name = names.find(entry.path);
      if (name == names.end() || paths.contains(name->second)) continue;
      lines += "0 " + nothing + "\t" + repository_.prefix() + entry.path + '\0';
      lines += entry.mode + " " + entry.id + "\t" + repository_.prefix() + name->second + '\0';
    }
    return lines;
  }

  Result<std::vector<FileChange>> changes_to(const std::string& base, const std::string& side) {
    return repository_.changes({"--no-renames", "--diff-filter=M", base, side});
  }

  Result<void> find_rows(const std::string& base) {
    Result<std::vector<FileChange>> ours = changes_to(base, "HEAD");
    if (!ours) return ours.error();
    Result<std::vector<FileChange>> theirs = changes_to(base, upstream_);
    if (!theirs) return theirs.error();
    std::map<std::string_view, const FileChange*> by_path;
    for (const FileChange& change : *ours)
      by_path[change.path] = &change;
    for (const FileChange& change : *theirs) {
      auto found = by_path.find(change.path);
      if (found == by_path.end() || is_schema_path(change.path)) continue;
      const FileChange& mine = *found->second;
      if (mine.new_id == change.new_id || !is_ordinary(mine) || !is_ordinary(change)) continue;
      rows_.push_back({change.path, change.old_id, mine.new_id, change.new_id, ""});
    }
    return {};
  }

  // git's attributes have the last word on who merges a file.
  Result<void> keep_those_of_the_driver() {
    std::string input;
    for (const MergedRow& row : rows_)
      input += row.path + '\0';
    Result<ProgramEnd> end = repository_.run({"check-attr", "-z", "--stdin", "merge"}, input);
    if (!end) return end.error();
    if (!end->ok()) return repository_.failure(*end, "check-attr");
    std::string_view rest = end->out;
    auto take_item = [&rest] {
      std::string_view item = rest.substr(0, rest.find('\0'));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      return item;
    };
    std::erase_if(rows_, [&](const MergedRow&) {  // path NUL attribute NUL value NUL
      take_item();
      take_item();
      return take_item() != "notesdb";
    });
    return {};
  }

  // As the driver would; what it would not merge cleanly is left to it.
  Result<void> merge_rows() {
    std::vector<std::string> ids;
    for (const MergedRow& row : rows_)
      ids.insert(ids.end(), {row.base, row.ours, row.theirs});
    Result<std::vector<std::string>> objects = repository_.read_objects(ids);
    if (!objects) return objects.error();
    auto object = objects->begin();
    std::erase_if(rows_, [&](MergedRow& row) {
      const std::string& base = *object++;
      const std::string& ours = *object++;
      const std::string& theirs = *object++;
      Result<MergedNote> merged =
          merge_file_texts(row.path, {base, ours, theirs}, schema_above(row.path), {});
      if (!merged || !merged->conflicts.empty()) return true;
      row.merged = std::move(merged->bytes);
      return false;
    });
    return {};
  }

  const Schema& schema_above(std::string_view path) {
    static const Schema none;
    for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
      if (auto database = paths_.database(folder)) return database->schema();
      if (folder == ".") return none;
    }
  }

  // All bytes become objects in one run of git.
  Result<void> store() {
    std::string input;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::string mark = ":" + std::to_string(i + 1);
      input += "blob\nmark " + mark + "\ndata " + std::to_string(rows_[i].merged.size()) + "\n";
      input += rows_[i].merged + "\nget-mark " + mark + "\n";
    }
    Result<std::string> ids = repository_.change({"fast-import", "--quiet"}, input);
    if (!ids) return ids.error();
    std::string_view rest = *ids;
    for (MergedRow& row : rows_) {
      row.merged = rest.substr(0, rest.find('\n'));
      if (row.merged.empty())
        return Error{ErrorCode::io_error, "git did not take the merged rows", Map{}};
      rest.remove_prefix(std::min(row.merged.size() + 1, rest.size()));
    }
    return {};
  }

  Result<std::optional<TreesToMerge>> trees(const std::string& base) const {
    auto entries = [&](std::string MergedRow::*object) {
      std::string lines;
      for (const MergedRow& row : rows_)
        lines += "100644 " + row.*object + "\t" + repository_.prefix() + row.path + '\0';
      return lines;
    };
    IndexApart index(repository_);
    Result<std::string> before = index.tree_with(base_, entries(&MergedRow::ours));
    if (!before) return before.error();
    Result<std::string> theirs = index.tree_with(upstream_, entries(&MergedRow::merged));
    if (!theirs) return theirs.error();
    return std::optional(TreesToMerge{base, *before, *theirs, rows_.size()});
  }

  const Repository& repository_;
  std::string base_;      // a commit, or the tree made over of it
  std::string upstream_;  // the same
  RowPaths paths_;
  std::vector<MergedRow> rows_;
};

// Merges the rows that HEAD and `upstream` both changed since they parted, under the names that
// were recorded for them (renumber.h). None where that would not be worth while: few rows,
// and no names (the setting notesdb.mergeAhead of git says how many, 16 without it), or sides that
// parted at more than one commit. A failure is no harm either: git merges alone then.
Result<std::optional<TreesToMerge>> merge_ahead(Workspace& workspace,
                                                const Repository& repository,
                                                const std::string& upstream) {
  return MergingAhead(workspace, repository, upstream).run();
}

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
