#include "git/sync.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "check/check.h"
#include "core/budget.h"
#include "core/count.h"
#include "core/progress.h"
#include "core/text.h"
#include "files/descriptor.h"
#include "git/commit_work.h"
#include "git/conflicts.h"
#include "git/killed_merge.h"
#include "git/merge_commit.h"
#include "git/past.h"
#include "git/setup.h"
#include "git/untold_rows.h"

namespace notesdb {

namespace {

// Tracked store: `.notesdb` within git, where it must not be.
//
// It is what notesdb keeps for one machine: unfinished changes, undo, a lock. Whoever brings one
// along with a commit would have it read as our own, so a sync neither commits nor merges one.

constexpr std::string_view store_name = ".notesdb";

// As file systems that do not tell letters apart would take it.
bool is_store(std::string_view segment) {
  return std::ranges::equal(segment, store_name, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// The path up to the first segment that is a store.
std::optional<std::string> store_in(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (is_store(path.substr(begin, end - begin))) return std::string(path.substr(0, end));
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> first_store(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (std::optional<std::string> store = store_in(path)) return store;
  return std::nullopt;
}

Result<std::vector<std::string>> listed(const Repository& repository, const Words& words) {
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, words.front());
  return items_of(end->out);
}

Error tracked(const std::string& store, const std::string& where, const std::string& fix) {
  const std::string path = escape_controls(store);
  return {ErrorCode::path_not_allowed,
          "'" + path + "' is tracked by git in " + where +
              ", but belongs to one machine alone; nothing was merged or sent. " + fix +
              " `git rm -r --cached " + path + "` and commit",
          Map{{"path", store}}};
}

// Fails with path_not_allowed, naming the path and the command that takes it out, where a
// `.notesdb` is tracked here: in the index below the workspace, or anywhere in HEAD.
Result<void> refuse_tracked_store(const Repository& repository) {
  const std::string fix = "Take it out with";
  Result<std::vector<std::string>> paths = listed(repository, {"ls-files", "-z", "--", "."});
  if (!paths) return paths.error();
  if (const auto store = first_store(*paths)) return tracked(*store, "the index", fix);
  paths = listed(repository, {"ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", "HEAD"});
  if (!paths) return repository.head() ? paths.error() : Result<void>();
  const auto store = first_store(*paths);
  return store ? tracked(*store, "HEAD", fix) : Result<void>();
}

// The same where a commit, since it parted from HEAD at `base`, adds one or changes it.
Result<void> refuse_incoming_store(const Repository& repository,
                                   const std::string& base,
                                   const std::string& commit) {
  Result<std::vector<std::string>> paths = listed(repository,
                                                  {"diff",
                                                   "--name-only",
                                                   "-z",
                                                   "--no-relative",
                                                   "--no-renames",
                                                   "--no-ext-diff",
                                                   "--no-textconv",
                                                   "--diff-filter=d",
                                                   base,
                                                   commit});
  if (!paths) return paths.error();
  const auto store = first_store(*paths);
  return store ? tracked(*store, "the commits to be merged", "Whoever sent it takes it out with")
               : Result<void>();
}

// Merge issues: what is wrong since two sides met, and was wrong on neither.
//
//   ours: row-001 takes the unique slug 'a'    theirs: row-002 takes it too
//   ours: row-003 names row-004                theirs: row-004 is deleted
//
// Rows merge one by one, so constraints over several rows are looked at afterwards, before anybody
// else gets the merge. An error that a side had before it met the other is not told here: it was
// there, `notesdb check` shows it, and holding it back would hold back everything else with it.

using Paths = std::set<std::string, std::less<>>;

// The commits that met: ours before the first merge, and whatever was merged into it since.
struct Sides {
  std::string ours;
  std::vector<std::string> others;
};

// `git rev-list --parents` of our merges, newest first: the merge, its first parent, the others.
Result<Sides> sides_of_merges(const Repository& repository, const std::string& upstream) {
  Result<std::string> text =
      repository.ask({"rev-list", "--first-parent", "--merges", "--parents", upstream + "..HEAD"});
  if (!text) return text.error();
  Sides sides;
  for (std::string_view line : split(*text, '\n')) {
    std::vector<std::string_view> ids = split(line, ' ');
    constexpr std::size_t fewest = 3;
    if (ids.size() < fewest) continue;
    sides.ours = ids[1];
    sides.others.insert(sides.others.end(), ids.begin() + 2, ids.end());
  }
  return sides;
}

Result<std::vector<Issue>> errors_of(Workspace& workspace, const CheckRequest& request) {
  Result<CheckAnswer> answer = check(workspace, request);
  if (!answer) return answer.error();
  std::erase_if(answer->issues,
                [](const Issue& issue) { return issue.severity != Severity::error; });
  return std::move(answer->issues);
}

Result<void> add_changed(const Repository& repository, const std::string& side, Paths& paths) {
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", side, "HEAD"});
  if (!changes) return changes.error();
  for (const FileChange& change : *changes)
    paths.insert(change.path);
  return {};
}

// Lines move in a merge; what is wrong with which field does not.
auto name_of_issue(const Issue& issue) {
  return std::tie(issue.path, issue.rule, issue.field, issue.message);
}

// Leaves out what a side had already. A side that cannot be asked had nothing.
void drop_known(Workspace& workspace, const std::string& side, std::vector<Issue>& errors) {
  Result<std::shared_ptr<Workspace>> past = past_workspace(workspace, side);
  if (!past) return;
  Result<std::vector<Issue>> known = errors_of(**past, {});
  if (!known) return;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> names;
  for (const Issue& issue : *known)
    names.insert(name_of_issue(issue));
  std::erase_if(errors, [&](const Issue& issue) { return names.contains(name_of_issue(issue)); });
}

// The errors of the work tree that the merges between `upstream` and HEAD made. Asked of commits
// and files alone, so the answer is the same however often a sync is begun again; a push by hand
// makes upstream HEAD, and then there are none.
Result<std::vector<Issue>> issues_of_merges(Workspace& workspace,
                                            const Repository& repository,
                                            const std::string& upstream) {
  Result<Sides> sides = sides_of_merges(repository, upstream);
  if (!sides) return sides.error();
  if (sides->ours.empty()) return std::vector<Issue>{};
  // A file that is on both sides as it is now is as wrong as it was there.
  CheckRequest request;
  request.paths.emplace();
  for (const std::string& side : {upstream, sides->ours}) {
    if (Result<void> done = add_changed(repository, side, *request.paths); !done)
      return done.error();
  }
  Result<std::vector<Issue>> errors = errors_of(workspace, request);
  if (!errors) return errors;
  sides->others.insert(sides->others.begin(), {upstream, sides->ours});
  for (const std::string& side : sides->others) {
    if (errors->empty()) break;
    drop_known(workspace, side, *errors);
  }
  return errors;
}

constexpr int max_tries = 20;
constexpr std::chrono::milliseconds shortest_pause{20};
constexpr std::chrono::milliseconds longest_pause{1500};

Error busy(std::string message) {
  return {ErrorCode::busy, "busy: " + std::move(message), Map{}};
}

// Longer after each try, and never the same for two clones.
void pause_after(int tries) {
  static std::mt19937 random{std::random_device{}()};
  auto longest = std::min(longest_pause, shortest_pause * (1 << std::min(tries, 8)));
  std::uniform_int_distribution<long> pause(shortest_pause.count(), longest.count());
  std::this_thread::sleep_for(std::chrono::milliseconds(pause(random)));
}

bool says(const ProgramEnd& end, std::string_view words) {
  return end.err.find(words) != std::string::npos || end.out.find(words) != std::string::npos;
}

// Whether a push was refused because the branch has moved, or another push was in its way.
bool was_too_slow(const ProgramEnd& end) {
  constexpr std::array<std::string_view, 7> words{"[rejected]",
                                                  "fetch first",
                                                  "non-fast-forward",
                                                  "cannot lock ref",
                                                  "failed to update ref",
                                                  "incorrect old value",
                                                  "reference already exists"};
  return std::ranges::any_of(words, [&](std::string_view word) { return says(end, word); });
}

// The first few of what is named, for a message.
std::string first_few(const std::vector<std::string>& names, std::string_view between) {
  constexpr std::size_t max_named = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_named); ++i)
    text += (i == 0 ? "" : std::string(between)) + names[i];
  return names.size() > max_named ? text + std::string(between) + "..." : text;
}

Error undecided(const std::vector<RowConflict>& conflicts) {
  std::vector<std::string> names;
  for (const RowConflict& conflict : conflicts)
    names.push_back(conflict.path + (conflict.field.empty() ? "" : " (" + conflict.field + ")"));
  return {ErrorCode::conflict,
          "the merge left " + count_of(names.size(), "conflict") + ": " + first_few(names, ", ") +
              "; resolve " + (names.size() == 1 ? "it" : "them") +
              " with `notesdb resolve`, then sync again",
          Map{}};
}

Error made_wrong(const std::vector<Issue>& issues) {
  std::vector<std::string> lines;
  for (const Issue& issue : issues)
    lines.push_back(to_text(issue));
  return {ErrorCode::conflict,
          "the merge is committed here and not pushed, since it made " +
              count_of(lines.size(), "error") + " that neither side had: " +
              first_few(lines, "; ") + "; fix this, then sync again (`git push` sends it as it is)",
          Map{{"issues", Value::list_of(lines)}}};
}

class Sync {
 public:
  Sync(Workspace& workspace, const Repository& repository, const SyncRequest& request)
      : workspace_(workspace), repository_(repository), request_(request) {}

  Result<SyncReport> run() {
    try {
      return run_steps();
    } catch (const BudgetSpent&) {
      const bool has_changed = !report_.committed.empty() || !report_.renumbered.empty() ||
                               !report_.set_up.empty() || !report_.put_back.empty() ||
                               report_.received > 0;
      if (request_.dry_run || !has_changed) throw;
      report_.stopped = step_;
      return report_;
    }
  }

 private:
  enum class Outcome { finished, again };

  Result<SyncReport> run_steps() {
    begin("looking at the clone");
    if (Result<void> done = prepare(); !done) return done.error();
    if (request_.dry_run) return look();
    while (report_.tries < max_tries) {
      ++report_.tries;
      Result<Outcome> done = one_try();
      if (!done) return done.error();
      if (*done == Outcome::finished) {
        keep_path_filters(repository_);
        report_.untold = untold_size(repository_);
        return report_;
      }
      pause_after(static_cast<int>(report_.tries));
    }
    return busy("no push came through in " + std::to_string(max_tries) +
                " tries; everything is committed here, sync again" +
                (last_refusal_.empty() ? "" : " (the last one: " + last_refusal_ + ")"));
  }

  // Whoever cancels is heard between two steps.
  void begin(const std::string& step) {
    Budget::look();
    step_ = step;
    stage_.emplace(step);
    Progress::begin("");
  }

  Result<void> prepare() {
    if (Result<void> done = check_state(repository_); !done) return done;
    std::string here = repository_.branch();
    if (here.empty())
      return Error{ErrorCode::invalid_argument, "HEAD is on no branch; check one out", Map{}};
    report_.remote = request_.remote;
    if (report_.remote.empty())
      report_.remote = repository_.config("branch." + here + ".remote").value_or("origin");
    report_.branch = request_.branch;
    if (report_.branch.empty()) {
      std::string merged = repository_.config("branch." + here + ".merge").value_or("");
      constexpr std::string_view heads = "refs/heads/";
      report_.branch = merged.starts_with(heads) ? merged.substr(heads.size()) : here;
    }
    for (const std::string& name : {report_.remote, report_.branch}) {
      if (name.starts_with('-'))
        return Error{ErrorCode::invalid_argument, "'" + name + "' is no name", Map{}};
    }
    if (Result<void> allowed = repository_.check_programs(); !allowed) return allowed;
    if (Result<void> fine = refuse_tracked_store(repository_); !fine) return fine;
    if (Result<void> locked = lock(); !locked) return locked;
    if (request_.dry_run) return {};
    if (Result<void> done = workspace_.files().recover(); !done) return done;
    Result<std::vector<std::string>> put_back = put_back_after_kill(repository_);
    if (!put_back) return put_back.error();
    report_.put_back = *std::move(put_back);
    report_.renumbered = untold_rows(repository_, workspace_.files());
    Result<std::vector<std::string>> set_up = set_up_git(workspace_, repository_, {});
    if (!set_up) return set_up.error();
    report_.set_up = *std::move(set_up);
    return {};
  }

  // One sync at a time in a clone; the kernel lets go of it when we die.
  Result<void> lock() {
    std::string path = repository_.own_folder() + "/notesdb-sync.lock";
    constexpr int anyone = 0666;
    lock_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, anyone));
    constexpr int max_waits = 300;
    for (int i = 0; lock_ && i < max_waits; ++i) {
      if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return busy("another sync is running in this clone");
  }

  Result<SyncReport> look() {
    Result<std::string> message = message_of_work(workspace_, repository_);
    if (!message) return message.error();
    const bool commits = !message->empty();
    if (commits) {
      report_.committed.push_back(message->substr(0, message->find('\n')));
      Result<std::size_t> files = count_work(repository_);
      if (!files) return files.error();
      report_.changed_files = *files;
    }
    const Result<std::optional<Upstream>> fetched = fetch();
    if (!fetched) return fetched.error();
    report_.sent = commits ? 1 : 0;
    if (!*fetched) {
      report_.sent += count("HEAD");
      return report_;
    }
    const std::string& upstream = (*fetched)->commit;
    Result<std::vector<Renumbered>> rows =
        renumber_rows(workspace_, repository_, upstream, RenumberMode::plan, report_);
    if (!rows) return rows.error();
    report_.renumbered = *std::move(rows);
    report_.received = count("HEAD.." + upstream);
    report_.sent += count(upstream + "..HEAD");
    // What is received is merged, unless there is nothing of ours.
    if (report_.received > 0 && report_.sent > 0) report_.sent += rows_and_merge();
    return report_;
  }

  std::int64_t rows_and_merge() const { return report_.renumbered.empty() ? 1 : 2; }

  Result<Outcome> one_try() {
    if (Result<void> done = commit_all(); !done) return retry_if_busy(done.error());
    Result<std::optional<Upstream>> upstream = fetch();
    if (!upstream) return retry_if_busy(upstream.error());
    if (!*upstream) return push(std::nullopt);
    if (!(*upstream)->is_in_head) {
      Result<Outcome> merged = merge((*upstream)->commit);
      if (!merged || *merged == Outcome::again) return merged;
    }
    return push((*upstream)->commit);
  }

  // Another git running in this clone is waited for, such as the fetch of a sync that was killed; git
  // also stops at a file that somebody removes while it adds it.
  Result<Outcome> retry_if_busy(const Error& error) {
    const bool is_locked = error.code == ErrorCode::busy || names(error, ".lock") ||
                           names(error, "cannot lock ref") || names(error, "FETCH_HEAD") ||
                           names(error, "unable to stat") || names(error, "unable to index file");
    if (is_locked && report_.tries < max_tries) return Outcome::again;
    return error;
  }

  static bool names(const Error& error, std::string_view words) {
    return error.message.find(words) != std::string::npos;
  }

  Result<void> commit_all() {
    begin("committing");
    const BudgetPause whole;
    Result<std::vector<RowConflict>> open = undecided_work(workspace_, repository_);
    if (open && open->empty()) open = finish_merge(workspace_, repository_);
    if (!open) return open.error();
    if (!open->empty()) return undecided(*open);
    Result<std::string> committed = commit_work(workspace_, repository_);
    if (!committed) return committed.error();
    if (!committed->empty())
      report_.committed.push_back(committed->substr(0, committed->find('\n')));
    return {};
  }

  // The commit of the remote's branch; nothing where it has none yet.
  struct Upstream {
    std::string commit;
    bool is_in_head;
  };
  Result<std::optional<Upstream>> fetch() {
    begin("fetching from " + report_.remote);
    Result<ProgramEnd> end = repository_.run(GitCall{.words = {"fetch",
                                                               "--quiet",
                                                               "--no-recurse-submodules",
                                                               report_.remote,
                                                               "refs/heads/" + report_.branch},
                                                     .signals = SignalsOf::ours,
                                                     .use = GitUse::network});
    if (!end) return end.error();
    if (!end->ok()) {
      if (says(*end, "couldn't find remote ref")) return std::optional<Upstream>();
      return repository_.failure(*end, "fetch");
    }
    Result<std::string> commit = repository_.ask({"rev-parse", "FETCH_HEAD"});
    if (!commit) return commit.error();
    const std::optional<std::string> head = repository_.head();
    Result<std::vector<std::string>> bases = std::vector<std::string>();
    if (head) bases = repository_.merge_bases(*head, *commit);
    if (!bases) return bases.error();
    const std::string base = bases->empty() ? empty_tree : bases->front();
    if (Result<void> fine = refuse_incoming_store(repository_, base, *commit); !fine)
      return fine.error();
    return std::optional<Upstream>({*commit, base == *commit});
  }

  // How many commits; none before the first.
  std::int64_t count(const std::string& range) const {
    Result<std::string> text = repository_.ask({"rev-list", "--count", range});
    std::int64_t number = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
  }

  Result<Outcome> merge(const std::string& upstream) {
    begin("merging");
    const BudgetPause whole;
    if (repository_.head()) {
      Result<std::vector<Renumbered>> rows =
          renumber_rows(workspace_, repository_, upstream, RenumberMode::write, report_);
      if (!rows) return retry_if_busy(rows.error());
      for (Renumbered& row : *rows) {
        if (std::ranges::find(report_.renumbered, row) == report_.renumbered.end())
          report_.renumbered.push_back(std::move(row));
      }
    }
    std::int64_t incoming = count("HEAD.." + upstream);
    // While git changes rows, nobody of notesdb does.
    Result<HeldLock> held = workspace_.files().lock();
    if (!held) return retry_if_busy(held.error());
    Result<bool> unchanged = is_committed(repository_);
    if (!unchanged) return retry_if_busy(unchanged.error());
    if (!*unchanged) return Outcome::again;
    Result<ProgramEnd> end = run_merge(upstream);
    if (!end) return end.error();
    if (end->ok()) {
      report_.received += incoming;
      return Outcome::finished;
    }
    return after_failed_merge(*end);
  }

  // A merge that outlives us keeps our lock until it has ended, so that the next sync does not find
  // half of it. It starts nothing that stays.
  Result<ProgramEnd> run_merge(const std::string& upstream) {
    ::fcntl(lock_.get(), F_SETFD, 0);
    Result<ProgramEnd> end =
        merge_commit(workspace_,
                     repository_,
                     {.commit = upstream,
                      .name = report_.remote + "/" + report_.branch,
                      .message = "Merge " + report_.branch + " of " + report_.remote});
    ::fcntl(lock_.get(), F_SETFD, FD_CLOEXEC);
    return end;
  }

  Result<Outcome> after_failed_merge(const ProgramEnd& end) {
    if (is_merging(repository_)) {
      Result<std::vector<RowConflict>> open = finish_merge(workspace_, repository_);
      if (!open) return open.error();
      if (!open->empty()) return undecided(*open);
      return Outcome::again;
    }
    bool local_changes = says(end, "would be overwritten") || says(end, ".lock");
    if (local_changes && report_.tries < max_tries) return Outcome::again;
    return repository_.failure(end, "merge");
  }

  // Markers go no further: not those of a merge by hand, nor of a clone without the driver.
  Result<void> check_outgoing(const std::optional<std::string>& upstream) {
    Result<std::vector<FileChange>> changes =
        repository_.changes({upstream.value_or(std::string(empty_tree)), "HEAD"});
    if (!changes) return changes.error();
    std::vector<std::string> paths;
    for (const FileChange& change : *changes) {
      if (change.status != 'D') paths.push_back(change.path);
    }
    Result<std::vector<RowConflict>> open = find_conflicts_among(workspace_, nullptr, paths);
    if (!open) return open.error();
    return open->empty() ? Result<void>() : undecided(*open);
  }

  // A row that nobody can read any more goes no further, either.
  static bool cannot_be_read(const Issue& issue) {
    static constexpr std::array<std::string_view, 5> rules{
        "conflict", "schema", "toml", "unreadable", "yaml"};
    return std::ranges::find(rules, issue.rule) != rules.end();
  }

  Result<void> check_merges(const std::optional<std::string>& upstream) {
    if (!upstream) return {};
    Result<std::vector<Issue>> issues = issues_of_merges(workspace_, repository_, *upstream);
    if (!issues) return issues.error();
    const bool stops = request_.strict || std::ranges::any_of(*issues, cannot_be_read);
    if (stops && !issues->empty()) return made_wrong(*issues);
    report_.issues = *std::move(issues);
    return {};
  }

  Result<Outcome> push(const std::optional<std::string>& upstream) {
    const std::int64_t outgoing = count(upstream ? *upstream + "..HEAD" : "HEAD");
    if (outgoing == 0) return Outcome::finished;
    begin("checking what is sent");
    if (Result<void> done = check_outgoing(upstream); !done) return done.error();
    if (Result<void> done = check_merges(upstream); !done) return done.error();
    begin("pushing to " + report_.remote);
    Result<ProgramEnd> end = repository_.run(GitCall{.words = {"push",
                                                               "--porcelain",
                                                               "--recurse-submodules=no",
                                                               report_.remote,
                                                               "HEAD:refs/heads/" + report_.branch},
                                                     .signals = SignalsOf::ours,
                                                     .use = GitUse::network});
    if (!end) return end.error();
    if (end->ok()) {
      report_.sent += outgoing;
      return Outcome::finished;
    }
    const Error refused = repository_.failure(*end, "push");
    if (!was_too_slow(*end)) return refused;
    last_refusal_ = refused.message;
    return Outcome::again;
  }

  Workspace& workspace_;
  const Repository& repository_;
  const SyncRequest& request_;
  SyncReport report_;
  std::string last_refusal_;  // in git's words
  Descriptor lock_;
  std::string step_;
  std::optional<ProgressStage> stage_;
};

}  // namespace

Result<SyncReport> sync_workspace(Workspace& workspace, const SyncRequest& request) {
  Result<Repository> repository = Repository::around(workspace.settings().root.value);
  if (!repository) return repository.error();
  return Sync(workspace, *repository, request).run();
}

void forget_told_rows(const std::string& root, std::uint64_t untold) {
  const Result<Repository> repository = Repository::around(root);
  if (repository) forget_untold_rows(*repository, untold);
}

}  // namespace notesdb
