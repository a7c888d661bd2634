#include "git/commit_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <unistd.h>

#include "core/file_name.h"
#include "database/commit.h"
#include "git/killed_merge.h"
#include "git/recorded_renames.h"
#include "git/row_difference.h"
#include "git/row_merge.h"

namespace notesdb {

namespace {

bool has_state(const Repository& repository, const std::string& name) {
  return ::access((repository.own_folder() + "/" + name).c_str(), F_OK) == 0;
}

// What one file of a merge becomes, by field or else by lines.
Result<std::string> merged_text(const FileSystem& files,
                                const Repository& repository,
                                const std::string& path,
                                const Unmerged& entry) {
  std::vector<std::string> ids{entry.ours, entry.theirs};
  if (!entry.base.empty()) ids.push_back(entry.base);
  Result<std::vector<std::string>> texts = repository.read_objects(ids);
  if (!texts) return texts.error();
  texts->resize(3);
  RowPaths rows(files);
  const auto row = rows.find(path);
  const auto database = row ? rows.database(row->database_id) : nullptr;
  const Schema schema = database != nullptr ? database->schema() : Schema{};
  const ThreeTexts three{(*texts)[2], (*texts)[0], (*texts)[1]};
  Result<MergedNote> merged = merge_file_texts(path, three, schema, {});
  if (merged) return std::move(merged->bytes);
  return merge_texts_by_lines(three, repository.own_folder());
}

// Those of the files whose bytes are still those of our side, asked with one process.
Result<std::vector<std::string>> as_ours(const Repository& repository,
                                         const std::map<std::string, Unmerged>& unmerged) {
  std::vector<std::string> paths;
  std::string input;
  for (const auto& [path, entry] : unmerged) {
    const bool has_both = !entry.ours.empty() && !entry.theirs.empty();
    const bool is_row = !row_file_ending(path).empty() && path.find('\n') == path.npos;
    if (!has_both || !is_row || ::access((repository.root() + "/" + path).c_str(), R_OK) != 0)
      continue;
    paths.push_back(path);
    input += repository.prefix() + path + "\n";  // from the top, unlike all else
  }
  if (paths.empty()) return paths;
  Result<ProgramEnd> end = repository.run({"hash-object", "--stdin-paths"}, input);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "hash-object");
  std::string_view rest = end->out;
  std::erase_if(paths, [&](const std::string& path) {
    const std::string_view id = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(id.size() + 1, rest.size()));
    return id != unmerged.at(path).ours;
  });
  return paths;
}

// A file that stands here as it did before the merge, with nothing of the other side in it and no
// markers: the program that merges rows could not be run for it. It is merged now.
Result<void> merge_what_was_left(Workspace& workspace,
                                 const Repository& repository,
                                 const std::map<std::string, Unmerged>& unmerged) {
  Plan plan;
  plan.what = "merge of rows";
  plan.is_fixed = true;
  const auto left = as_ours(repository, unmerged);
  if (!left) return left.error();
  for (const std::string& path : *left) {
    const Result<FileBytes> file = workspace.files().read(path);
    if (!file) return file.error();
    Result<std::string> merged =
        merged_text(workspace.files(), repository, path, unmerged.at(path));
    if (!merged) return merged.error();
    if (*merged != file->bytes)
      plan.steps.push_back(Step::replace(path, file->etag, *std::move(merged)));
  }
  if (plan.steps.empty()) return {};
  Receipt receipt;
  const auto make = [&](Stage) -> Result<Plan> { return plan; };
  const auto written = commit(workspace.files(), WriteMode::write, make, receipt);
  return written ? Result<void>() : written.error();
}

Result<void> commit_with(const Repository& repository, Words words, const std::string& message) {
  Result<ProgramEnd> end =
      repository.run(GitCall{.words = std::move(words), .input = message, .use = GitUse::change});
  if (!end) return end.error();
  return end->ok() ? Result<void>() : repository.failure(*end, "commit");
}

Result<std::string> message_for(Workspace& workspace,
                                const Repository& repository,
                                const std::vector<FileChange>& changes) {
  if (changes.empty()) return std::string();
  RowPaths paths(workspace.files());
  Result<std::vector<RowDifference>> rows =
      describe_changes(repository, workspace.files(), paths, changes);
  if (!rows) return rows.error();
  std::string summary = summarise(*rows);
  std::size_t others = changes.size() - std::min(rows->size(), changes.size());
  if (summary.empty()) {
    summary = std::to_string(others) + (others == 1 ? " file" : " files") + " that hold no rows";
  }
  std::string list = list_rows(*rows);
  return summary + "\n" + (list.empty() ? "" : "\n" + list);
}

// The hook that `git merge` asks and `git commit` does not: a merge that it refused waits, and is
// not to get past it by another sync. A git that cannot run hooks by name has no say here.
Result<void> ask_merge_hook(const Repository& repository) {
  Result<ProgramEnd> end = repository.run(GitCall{
      .words = {"hook", "run", "--ignore-missing", "pre-merge-commit"}, .use = GitUse::change});
  if (!end) return end.error();
  bool has_no_say = end->err.find("is not a git command") != std::string::npos;
  return end->ok() || has_no_say ? Result<void>() : repository.failure(*end, "merge");
}

// git names every file that it does not know, but of a repository within this one only its folder.
bool is_repository_within(std::string_view path) {
  return path.ends_with('/');
}

// Of what git does not know, that which a sync passes over: other repositories are their owner's to
// commit.
bool is_passed_over(std::string_view path) {
  return is_repository_within(path) || is_left_over(path);
}

// The repositories within this one that git keeps as submodules: `git add` would ask each of them
// for its state, by its own configuration.
Result<std::vector<std::string>> submodules_of(const Repository& repository) {
  constexpr std::string_view mode = "160000 ";
  Result<ProgramEnd> end = repository.run({"ls-files", "--stage", "-z", "--", "."});
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "ls-files");
  std::vector<std::string> paths;
  for (const std::string& item : items_of(end->out)) {  // mode SP id SP stage TAB path
    if (item.starts_with(mode)) paths.push_back(item.substr(item.find('\t') + 1));
  }
  return paths;
}

Result<Words> words_to_add(const Repository& repository) {
  Words words{"add", "--all", "--", "."};
  Result<std::vector<std::string>> untracked = repository.untracked();
  if (!untracked) return untracked.error();
  for (const std::string& path : *untracked) {
    if (is_passed_over(path)) words.push_back(":(exclude,literal)" + path);
  }
  Result<std::vector<std::string>> submodules = submodules_of(repository);
  if (!submodules) return submodules.error();
  for (const std::string& path : *submodules)
    words.push_back(":(exclude,literal)" + path);
  return words;
}

// A row that was renamed as one change, and not as a row that is gone and another.
void join_renames(const std::vector<RecordedRename>& renames, std::vector<FileChange>& changes) {
  for (const RecordedRename& rename : renames) {
    const auto gone = std::ranges::find(changes, rename.old_path, &FileChange::path);
    const auto made = std::ranges::find(changes, rename.new_path, &FileChange::path);
    if (gone == changes.end() || made == changes.end()) continue;
    made->status = 'R';
    made->old_path = rename.old_path;
    made->old_id = gone->old_id;
    made->old_mode = gone->old_mode;
    changes.erase(gone);
  }
}

Result<std::vector<FileChange>> work_of(const Repository& repository) {
  Result<std::vector<FileChange>> changes = repository.changes_since_head();
  if (!changes) return changes;
  Result<std::vector<std::string>> untracked = repository.untracked();
  if (!untracked) return untracked.error();
  for (const std::string& path : *untracked) {
    if (!is_passed_over(path)) changes->push_back({'A', path, path});
  }
  return changes;
}

}  // namespace

Result<void> check_state(const Repository& repository) {
  constexpr std::array<std::pair<const char*, const char*>, 4> states{
      {{"rebase-merge", "a rebase"},
       {"rebase-apply", "a rebase"},
       {"CHERRY_PICK_HEAD", "a cherry-pick"},
       {"REVERT_HEAD", "a revert"}}};
  for (const auto& [name, what] : states) {
    if (!has_state(repository, name)) continue;
    return Error{ErrorCode::conflict,
                 std::string(what) + " waits here; finish or abort it, then sync",
                 Map{}};
  }
  return {};
}

bool is_merging(const Repository& repository) {
  return has_state(repository, "MERGE_HEAD");
}

Result<std::vector<RowConflict>> undecided_work(Workspace& workspace,
                                                const Repository& repository) {
  Result<std::vector<FileChange>> changes = repository.changes_since_head();
  if (!changes) return changes.error();
  std::vector<std::string> paths;
  for (const FileChange& change : *changes)
    paths.push_back(change.path);
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return find_conflicts_among(workspace, &repository, paths);
}

Result<std::vector<RowConflict>> finish_merge(Workspace& workspace, const Repository& repository) {
  std::vector<RowConflict> open;
  if (!is_merging(repository)) return open;
  const auto unmerged = unmerged_paths(repository);
  if (!unmerged) return unmerged.error();
  if (Result<void> done = merge_what_was_left(workspace, repository, *unmerged); !done)
    return done.error();
  Result<std::vector<RowConflict>> found = undecided_work(workspace, repository);
  if (!found || !found->empty()) return found;
  Words add{"add", "--"};
  for (const auto& [path, entry] : *unmerged)
    add.push_back(path);
  if (!unmerged->empty()) {
    if (Result<std::string> done = repository.change(add); !done) return done.error();
  }
  Result<void> done = ask_merge_hook(repository);
  if (done) done = commit_with(repository, {"commit", "--quiet", "--no-edit"}, "");
  if (!done) return done.error();
  return open;
}

Result<std::string> message_of_work(Workspace& workspace, const Repository& repository) {
  Result<std::vector<FileChange>> changes = work_of(repository);
  if (!changes) return changes.error();
  join_renames(renames_of_work(workspace.files(), *changes), *changes);
  return message_for(workspace, repository, *changes);
}

Result<std::size_t> count_work(const Repository& repository) {
  Result<std::vector<FileChange>> changes = work_of(repository);
  if (!changes) return changes.error();
  return changes->size();
}

Result<void> add_work(const Repository& repository) {
  Result<Words> add = words_to_add(repository);
  if (!add) return add.error();
  Result<std::string> added =
      repository.ask(GitCall{.words = *add, .use = GitUse::change, .pathspecs = Pathspecs::magic});
  return added ? Result<void>() : added.error();
}

Result<std::string> commit_work(Workspace& workspace, const Repository& repository) {
  if (Result<void> fine = refuse_emptied_files(repository); !fine) return fine.error();
  if (Result<void> added = add_work(repository); !added) return added.error();
  Result<std::vector<FileChange>> changes = repository.changes({"--cached", "--no-renames"});
  if (!changes) return changes.error();
  const std::vector<RecordedRename> renames = renames_of_work(workspace.files(), *changes);
  join_renames(renames, *changes);
  Result<std::string> message = message_for(workspace, repository, *changes);
  if (!message || message->empty()) return message;
  const std::string trailers = rename_trailers(repository, renames);
  Result<void> done =
      commit_with(repository, {"commit", "--quiet", "--file=-", "--", "."}, *message + trailers);
  if (!done) return done.error();
  return message;
}

Result<bool> is_committed(const Repository& repository) {
  Result<std::vector<std::string>> lines = repository.status();
  if (!lines) return lines.error();
  return std::ranges::all_of(*lines, [](std::string_view line) {
    return line.starts_with("?? ") && is_passed_over(line.substr(3));
  });
}

}  // namespace notesdb
