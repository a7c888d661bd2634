#include "git/row_log.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "core/text.h"

namespace notesdb {

namespace {

constexpr char commit_mark = '\x01';

std::string take_item(std::string_view& text) {
  std::size_t end = std::min(text.find('\0'), text.size());
  std::string item(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

std::vector<LoggedCommit> parse_log(std::string_view text, const std::string& prefix) {
  std::vector<LoggedCommit> commits;
  while (!text.empty()) {
    if (text.front() != commit_mark) {
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(1);
    std::size_t next = std::min(text.find(std::string{'\0', commit_mark}), text.size());
    std::string_view entry = text.substr(0, next);
    text.remove_prefix(next);
    LoggedCommit commit;
    commit.commit = take_item(entry);
    std::string parents = take_item(entry);
    commit.sides = 1 + static_cast<std::size_t>(std::ranges::count(parents, ' '));
    commit.author = to_utf8(take_item(entry));
    commit.date = take_item(entry);
    commit.message = to_utf8(take_item(entry));
    entry.remove_prefix(std::min(entry.find(':'), entry.size()));
    commit.changes = parse_raw_changes(entry, prefix);
    if (!commit.changes.empty()) commits.push_back(std::move(commit));
  }
  return commits;
}

// The words that name all commits of HEAD in parts, newest first, for as many runs of git at once
// as there are processors. A cut is an ancestor of the cut before it, so no commit is in two parts.
std::vector<Words> parts_of_history(const Repository& repository) {
  constexpr std::size_t worth_a_run = 250;
  constexpr std::size_t max_runs = 4;
  std::vector<Words> parts{{"HEAD"}};
  Result<std::string> text = repository.ask({"rev-list", "--first-parent", "HEAD"});
  if (!text) return parts;
  const std::size_t line = text->find('\n') + 1;  // every id is as long as the first
  const std::size_t commits = line == 0 ? 1 : (text->size() + 1) / line;
  const std::size_t runs = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), commits / worth_a_run),
      1,
      max_runs);
  for (std::size_t i = 1; i < runs; ++i) {
    const std::string cut = text->substr(commits * i / runs * line, line - 1);
    parts.back().push_back("^" + cut);
    parts.push_back({cut});
  }
  return parts;
}

Result<std::vector<LoggedCommit>> run_log(const Repository& repository,
                                          const Words& options,
                                          const Words& commits,
                                          const std::vector<std::string>& paths) {
  Words words{"log",
              "--raw",
              "-z",
              "--no-abbrev",
              "--no-ext-diff",
              "--no-textconv",
              "--find-renames",
              "--format=%x01%H%x00%P%x00%an%x00%aI%x00%s%x00"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), commits.begin(), commits.end());
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "log");
  return parse_log(end->out, repository.prefix());
}

Result<std::vector<LoggedCommit>> run_logs(const Repository& repository,
                                           const Words& options,
                                           const std::vector<std::string>& paths) {
  std::vector<std::future<Result<std::vector<LoggedCommit>>>> runs;
  for (Words& part : parts_of_history(repository)) {
    runs.push_back(std::async(std::launch::async, [&, part = std::move(part)] {
      return run_log(repository, options, part, paths);
    }));
  }
  std::vector<LoggedCommit> commits;
  for (auto& run : runs) {
    Result<std::vector<LoggedCommit>> found = run.get();
    if (!found) return found;
    std::ranges::move(*found, std::back_inserter(commits));
  }
  return commits;
}

// With what a side did that a merge decided against, and what a merge made that no side had.
Result<std::vector<LoggedCommit>> log_all(const Repository& repository,
                                          const std::vector<std::string>& paths,
                                          std::size_t most) {
  Words options{"--full-history", "-c"};
  // git counts merges that changed nothing, too: where clones sync often, every other commit.
  constexpr std::size_t in_proportion = 4;
  if (most > 0) options.push_back("--max-count=" + std::to_string(most * in_proportion));
  return run_logs(repository, options, paths);
}

void keep_newest(std::vector<LoggedCommit>& commits, std::size_t most) {
  if (most > 0 && commits.size() > most)
    commits.erase(commits.begin() + static_cast<std::ptrdiff_t>(most), commits.end());
}

// The commits after a renaming, of those that descend from it, that changed a file of the old name:
// another file.
Result<std::set<std::string>> reusing(const Repository& repository,
                                      const std::string& renaming,
                                      const std::string& old_path) {
  Result<std::string> text = repository.ask(
      {"rev-list", "--ancestry-path", "--full-history", renaming + "..HEAD", "--", old_path});
  if (!text) return text.error();
  std::set<std::string> commits;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    commits.emplace(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return commits;
}

struct Renaming {
  std::string commit;
  std::string old_path;
};

// The commit that seems to add a file, and took it from a name that is not known yet.
std::optional<Renaming> find_renaming(const Repository& repository,
                                      const std::vector<LoggedCommit>& commits,
                                      const std::vector<std::string>& names) {
  for (const LoggedCommit& commit : commits) {
    for (const FileChange& change : commit.changes) {
      if (change.status != 'A' || commit.sides > 1) continue;
      Result<std::vector<FileChange>> renamed =
          repository.changes({"--diff-filter=R", commit.commit + "^", commit.commit});
      if (!renamed) continue;  // the first commit of all
      auto found = std::ranges::find(*renamed, change.path, &FileChange::path);
      if (found == renamed->end()) continue;
      bool is_known = std::ranges::find(names, found->old_path) != names.end();
      if (!is_known) return Renaming{commit.commit, found->old_path};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<LoggedCommit>> log_folder(const Repository& repository,
                                             const std::string& folder,
                                             std::size_t most) {
  Result<std::vector<LoggedCommit>> commits = log_all(repository, {folder}, most);
  if (commits) keep_newest(*commits, most);
  return commits;
}

Result<std::vector<LoggedCommit>> log_file(const Repository& repository,
                                           const std::string& path,
                                           std::size_t most) {
  std::vector<std::string> names{path};
  std::map<std::string, std::set<std::string>> reused;
  Result<std::vector<LoggedCommit>> commits = log_all(repository, names, most);
  while (commits) {
    std::optional<Renaming> renaming = find_renaming(repository, *commits, names);
    if (!renaming) break;
    Result<std::set<std::string>> later = reusing(repository, renaming->commit, renaming->old_path);
    if (!later) return later.error();
    names.push_back(renaming->old_path);
    reused[renaming->old_path] = *std::move(later);
    commits = log_all(repository, names, most);
  }
  if (!commits) return commits;
  for (LoggedCommit& commit : *commits) {
    std::erase_if(commit.changes, [&](const FileChange& change) {
      auto found = reused.find(change.path);
      return found != reused.end() && found->second.contains(commit.commit);
    });
  }
  std::erase_if(*commits, [](const LoggedCommit& commit) { return commit.changes.empty(); });
  keep_newest(*commits, most);
  return commits;
}

}  // namespace notesdb
