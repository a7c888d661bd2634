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
#include "git/recorded_renames.h"
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
  std::string text = repository.config("notesdb.mergeahead").value_or("");
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
  MergingAhead(Workspace& workspace,
               const Repository& repository,
               std::string head,
               std::string upstream)
      : repository_(repository),
        head_(std::move(head)),
        upstream_(std::move(upstream)),
        paths_(workspace.files()) {}

  Result<std::optional<TreesToMerge>> run() {
    std::optional<TreesToMerge> none;
    const Result<std::vector<std::string>> bases = repository_.merge_bases(head_, upstream_);
    if (!bases || bases->size() != 1) return none;
    base_ = bases->front();
    if (head_ == base_) return none;  // theirs as it is
    Result<bool> renamed = follow_names(bases->front());
    if (!renamed) return renamed.error();
    if (Result<void> done = find_rows(base_); !done) return done.error();
    const std::size_t fewest = *renamed ? 0 : min_rows(repository_);
    if (rows_.size() < fewest) return none;
    if (Result<void> done = keep_those_of_the_driver(); !done) return done.error();
    if (Result<void> done = merge_rows(); !done) return done.error();
    if (rows_.size() < fewest) return none;
    if (Result<void> done = store_merged(); !done) return done.error();
    return trees(bases->front());
  }

 private:
  using Entries = std::map<std::string, TreeEntry>;

  // The trees of where the sides parted and of theirs are made over, so that one name is one row in
  // all of them and in HEAD (renumber.h has renamed what it could). Whether there was such a thing.
  Result<bool> follow_names(const std::string& base) {
    Result<NamesSince> ours = names_since(repository_, base, head_);
    if (!ours) return ours.error();
    Result<NamesSince> theirs = names_since(repository_, base, upstream_);
    if (!theirs) return theirs.error();
    std::set<std::string> names;
    for (NamesSince* side : {&*ours, &*theirs}) {
      std::erase_if(side->remade, [&](const std::string& path) { return !can_be_remade(path); });
      names.insert(side->remade.begin(), side->remade.end());
      for (const auto& [old_path, new_path] : side->renamed)
        names.insert(old_path);
    }
    if (names.empty()) return false;
    for (const auto& [tree, entries] : {std::pair(base, &at_base_),
                                        std::pair(head_, &at_head_),
                                        std::pair(upstream_, &at_theirs_)}) {
      if (Result<void> done = read_tree(tree, *entries); !done) return done.error();
    }
    if (Result<void> done = relink_theirs(base, ours->renamed); !done) return done.error();
    for (const std::string& name : names) {
      if (!at_base_.contains(name)) continue;
      const Result<void> done =
          follow(name, place_of(name, *ours, at_head_), place_of(name, *theirs, at_theirs_));
      if (!done) return done.error();
    }
    return make_over();
  }

  // A number is not given twice: what lies under it again was brought back. So was what is no row.
  bool can_be_remade(const std::string& path) {
    const std::optional<RowPath> row = paths_.find(path);
    return row && !is_counter_row(*row);
  }

  Result<void> read_tree(const std::string& tree, Entries& entries) const {
    Result<std::vector<TreeEntry>> found = repository_.tree_of(tree);
    if (!found) return found.error();
    for (TreeEntry& entry : *found)
      entries.emplace(entry.path, entry);
    return {};
  }

  // What they refer to by a name that a row has no more here; what we refer to renumber.h has seen
  // to.
  Result<void> relink_theirs(const std::string& base,
                             const std::map<std::string, std::string>& renamed) {
    std::vector<Renumbered> rows;
    for (const auto& [old_path, new_path] : renamed) {
      const std::optional<RowPath> from = paths_.find(old_path);
      const std::optional<RowPath> to = paths_.find(new_path);
      if (from && to && from->database_id == to->database_id)
        rows.push_back({from->database_id, from->row_id, to->row_id, {}});
    }
    if (rows.empty()) return {};
    Result<std::vector<FileChange>> changes =
        repository_.changes({"--no-renames", "--diff-filter=AM", base, upstream_});
    if (!changes) return changes.error();
    std::erase_if(*changes, [&](const FileChange& change) { return !paths_.find(change.path); });
    std::vector<std::string> ids;
    for (const FileChange& change : *changes)
      ids.push_back(change.new_id);
    Result<std::vector<std::string>> texts = repository_.read_objects(ids);
    if (!texts) return texts.error();
    std::vector<std::string> paths;
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < changes->size(); ++i) {
      std::optional<std::string> now;
      for (const Renumbered& row : rows) {
        auto bytes = relinked(paths_, (*changes)[i].path, now ? *now : (*texts)[i], row);
        if (!bytes) return bytes.error();
        if (*bytes) now = std::move(*bytes);
      }
      if (!now) continue;
      paths.push_back((*changes)[i].path);
      changed.push_back(*std::move(now));
    }
    Result<std::vector<std::string>> objects = store(changed);
    if (!objects) return objects.error();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      TreeEntry& entry = at_theirs_[paths[i]];
      entry.id = (*objects)[i];
      put(entry, entry.path, theirs_lines_);
    }
    return {};
  }

  // Where a side has the row that had a name when the sides parted; empty where it is gone.
  static std::string place_of(const std::string& name,
                              const NamesSince& side,
                              const Entries& entries) {
    if (const auto found = side.renamed.find(name); found != side.renamed.end())
      return found->second;
    return entries.contains(name) && !side.remade.contains(name) ? name : "";
  }

  // A row that was renamed on one side and deleted on the other was changed and deleted: in the
  // place of what both had there is nothing, an empty file, so that git finds it changed.
  Result<void> follow(const std::string& name, const std::string& ours, const std::string& theirs) {
    const TreeEntry& before = at_base_.at(name);
    if (!ours.empty() && !theirs.empty()) {
      // Another row has the name here.
      if (ours != theirs && (theirs != name || at_theirs_.contains(ours))) return {};
      if (ours == name) return {};
      move(before, ours, base_lines_);
      if (theirs == name) move(at_theirs_.at(name), ours, theirs_lines_);
      return {};
    }
    const std::string& kept = ours.empty() ? theirs : ours;
    if (kept == name) {
      const TreeEntry& now = (ours.empty() ? at_theirs_ : at_head_).at(name);
      if (now.id != before.id) remove(before, base_lines_);  // two rows of one name meet
      return {};
    }
    if (kept.empty()) {
      remove(before, base_lines_);
      return {};
    }
    Result<std::string> nothing = repository_.change({"hash-object", "-w", "--stdin"});
    if (!nothing) return nothing.error();
    move({before.mode, *nothing, before.path}, kept, base_lines_);
    return {};
  }

  // Lines as `git update-index` takes them.
  void remove(const TreeEntry& entry, std::string& lines) const {
    lines += "0 " + std::string(id_length, '0') + "\t" + repository_.prefix() + entry.path + '\0';
  }

  void move(const TreeEntry& entry, const std::string& path, std::string& lines) const {
    remove(entry, lines);
    put(entry, path, lines);
  }

  void put(const TreeEntry& entry, const std::string& path, std::string& lines) const {
    lines += entry.mode + " " + entry.id + "\t" + repository_.prefix() + path + '\0';
  }

  Result<bool> make_over() {
    for (const auto& [tree, lines] :
         {std::pair(&base_, &base_lines_), std::pair(&upstream_, &theirs_lines_)}) {
      if (lines->empty()) continue;
      Result<std::string> made = IndexApart(repository_).tree_with(*tree, *lines);
      if (!made) return made.error();
      *tree = *made;
    }
    return !base_lines_.empty();
  }

  Result<std::vector<FileChange>> changes_to(const std::string& base, const std::string& side) {
    return repository_.changes({"--no-renames", "--diff-filter=M", base, side});
  }

  Result<void> find_rows(const std::string& base) {
    Result<std::vector<FileChange>> ours = changes_to(base, head_);
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

  // Texts made objects, in one run of git.
  Result<std::vector<std::string>> store(const std::vector<std::string>& texts) const {
    std::vector<std::string> objects;
    if (texts.empty()) return objects;
    std::string input;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string mark = ":" + std::to_string(i + 1);
      input += "blob\nmark " + mark + "\ndata " + std::to_string(texts[i].size()) + "\n";
      input += texts[i] + "\nget-mark " + mark + "\n";
    }
    Result<std::string> ids = repository_.change({"fast-import", "--quiet"}, input);
    if (!ids) return ids.error();
    std::string_view rest = *ids;
    while (!rest.empty()) {
      objects.emplace_back(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(objects.back().size() + 1, rest.size()));
    }
    if (objects.size() != texts.size())
      return Error{ErrorCode::io_error, "git did not take the merged rows", Map{}};
    return objects;
  }

  Result<void> store_merged() {
    std::vector<std::string> texts;
    for (MergedRow& row : rows_)
      texts.push_back(std::move(row.merged));
    Result<std::vector<std::string>> objects = store(texts);
    if (!objects) return objects.error();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      rows_[i].merged = std::move((*objects)[i]);
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
  std::string head_;
  std::string base_;      // a commit, or the tree made over of it
  std::string upstream_;  // the same
  RowPaths paths_;
  Entries at_base_;
  Entries at_head_;
  Entries at_theirs_;
  std::string base_lines_;  // what is made over
  std::string theirs_lines_;
  std::vector<MergedRow> rows_;
};

// Merges the rows that HEAD and `upstream` both changed since they parted, under the names that
// were recorded for them (renumber.h). None where that would not be worth while: few rows,
// and no names (the setting notesdb.mergeAhead of git says how many, 16 without it), or sides that
// parted at more than one commit. A failure is no harm either: git merges alone then.
Result<std::optional<TreesToMerge>> merge_ahead(Workspace& workspace,
                                                const Repository& repository,
                                                const std::string& head,
                                                const std::string& upstream) {
  return MergingAhead(workspace, repository, head, upstream).run();
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
  const std::optional<std::string> head = repository.head();
  Result<std::optional<TreesToMerge>> trees = std::optional<TreesToMerge>();
  if (head) trees = merge_ahead(workspace, repository, *head, other.commit);
  StrategyFolder folder(repository);
  if (!trees || !*trees || !folder.write(script_of(**trees, *head, other)))
    return merge(repository, other, {"--strategy=recursive", "-Xno-renames"});
  return merge(repository,
               other,
               {"--strategy=" + std::string(strategy)},
               (*trees)->theirs,
               {folder.path_variable()});
}

}  // namespace notesdb
