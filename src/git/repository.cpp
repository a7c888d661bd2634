#include "git/repository.h"

#include <algorithm>
#include <charconv>

#include <sys/stat.h>

#include "core/date.h"
#include "core/text.h"

namespace notesdb {

namespace {

std::string without_last_newline(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r'))
    text.pop_back();
  return text;
}

void replace_all(std::string& text, const std::string& from, std::string_view to) {
  if (from.empty() || from == "/") return;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
}

// The next text of a list whose items end in NUL.
std::string_view take_item(std::string_view& text) {
  std::size_t end = std::min(text.find('\0'), text.size());
  std::string_view item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

std::optional<std::string> below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  return std::string(path.substr(prefix.size()));
}

std::string id_or_empty(std::string_view id) {
  return id.find_first_not_of('0') == std::string_view::npos ? std::string() : std::string(id);
}

// A moment as git's --before takes it; a date without a time is its end.
std::optional<std::string> moment_for_git(std::string_view text) {
  std::optional<Timestamp> moment = parse_moment(text);
  if (!moment) moment = parse_relative_moment(text, local_clock().local);
  if (!moment) return std::nullopt;
  std::string written = format_moment(*moment);
  return moment->has_time ? written : written + "T23:59:59";
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_same_folder(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string absolute(const std::string& path, const std::string& root) {
  return path.starts_with('/') ? path : root + "/" + path;
}

Error no_repository() {
  return {ErrorCode::invalid_argument,
          "the workspace is not in a git repository; create one with `git init`",
          Map{}};
}

// The nearest folder, this one or above, that has a `.git`. On the way git would take a folder that
// is made like a git directory for one: with whatever configuration a clone has brought in it.
Result<std::string> find_work_tree(const std::string& root) {
  constexpr int deepest = 256;
  std::string folder = root;
  for (int level = 0; level < deepest; ++level) {
    if (exists(folder + "/.git")) return folder;
    if (exists(folder + "/HEAD") && exists(folder + "/objects") && exists(folder + "/refs")) {
      return Error{ErrorCode::path_not_allowed,
                   "the workspace lies in a folder that is made like a git directory (it has HEAD, "
                   "objects and refs), which git is not run in",
                   Map{}};
    }
    if (is_same_folder(folder, folder + "/..")) return no_repository();
    folder += "/..";
  }
  return no_repository();
}

}  // namespace

Result<Repository> Repository::around(const std::string& root) {
  Result<std::string> top = find_work_tree(root);
  if (!top) return top.error();
  Repository repository;
  repository.root_ = root;
  Result<ProgramEnd> end = repository.run({"rev-parse",
                                           "--is-inside-work-tree",
                                           "--absolute-git-dir",
                                           "--git-common-dir",
                                           "--show-toplevel",
                                           "--show-prefix",
                                           "--git-path",
                                           "info/attributes"});
  if (!end) return end.error();
  std::vector<std::string> lines;
  for (std::string_view rest = end->out; rest.find('\n') != std::string_view::npos;) {
    lines.emplace_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(lines.back().size() + 1);
  }
  constexpr std::size_t all = 6;
  if (!end->ok() && end->err.find("not a git repository") == std::string::npos)
    return repository.failure(*end, "rev-parse");  // such as dubious ownership
  if (!end->ok() || lines.size() < all) return no_repository();
  repository.own_folder_ = lines[1];
  const std::string common = absolute(lines[2], root);
  repository.top_ = lines[3];
  repository.prefix_ = lines[4];
  repository.attributes_path_ = absolute(lines[5], root);
  if (!is_same_folder(repository.top_, *top)) {
    return Error{ErrorCode::path_not_allowed,
                 "core.worktree of this repository names another folder than its own; notesdb "
                 "works where `.git` lies",
                 Map{}};
  }
  Result<std::vector<GitSetting>> settings = git_settings(root);
  if (!settings) return settings.error();
  repository.settings_ = *std::move(settings);
  repository.programs_ = FolderPrograms(repository.settings_, repository.top_, common + "/hooks");
  return repository;
}

Result<void> Repository::check_programs() const {
  if (programs_.names().empty() || programs_.is_trusted()) return {};
  std::string names;
  for (const std::string& name : programs_.names())
    names += (names.empty() ? "" : ", ") + escape_controls(name);
  return Error{ErrorCode::path_not_allowed,
               "git would run programs that this repository itself names: " + names +
                   "; nothing was changed. If you trust it: `git config --global --add "
                   "notesdb.trust \"$(git rev-parse --show-toplevel)\"`; else move the setting to "
                   "your global configuration, take it out, or use git by hand",
               Map{{"programs", Value::list_of(programs_.names())}}};
}

Result<ProgramEnd> Repository::run(const GitCall& call) const {
  GitRun run{.folder = root_,
             .words = call.words,
             .input = call.input,
             .environment = call.environment,
             .signals = call.signals,
             .use = call.use,
             .pathspecs = call.pathspecs,
             .is_trusted = programs_.is_trusted()};
  if (call.use != GitUse::look) {
    if (Result<void> allowed = check_programs(); !allowed) return allowed.error();
    run.config.emplace_back("merge.notesdb.driver", merge_driver_command());
  } else if (!run.is_trusted) {
    run.config = programs_.switched_off();
  }
  return run_git(run);
}

Error Repository::failure(const ProgramEnd& end, std::string_view doing) const {
  std::string said = without_last_newline(end.err.empty() ? end.out : end.err);
  replace_all(said, top_, ".");
  replace_all(said, root_, ".");
  std::ranges::replace(said, '\n', ' ');
  constexpr std::size_t longest = 600;
  if (said.size() > longest) said = said.substr(said.size() - longest);
  return {ErrorCode::io_error, "git " + std::string(doing) + " failed: " + to_utf8(said), Map{}};
}

Result<std::string> Repository::ask(const GitCall& call) const {
  Result<ProgramEnd> end = run(call);
  if (!end) return end.error();
  if (!end->ok()) return failure(*end, call.words.front());
  return without_last_newline(std::move(end->out));
}

Result<std::string> Repository::commit_of(std::string_view revision) const {
  Error unknown{ErrorCode::invalid_argument,
                "'" + escape_controls(revision) +
                    "' is neither a revision of this repository nor a date within its history",
                Map{}};
  if (revision.empty() || revision.starts_with('-')) return unknown;
  Result<ProgramEnd> end =
      run({"rev-parse", "--verify", "--quiet", std::string(revision) + "^{commit}"});
  if (!end) return end.error();
  if (end->ok()) return without_last_newline(std::move(end->out));
  std::optional<std::string> moment = moment_for_git(revision);
  if (!moment) return unknown;
  end = run({"rev-list", "-1", "--before=" + *moment, "HEAD"});
  if (!end) return end.error();
  std::string commit = without_last_newline(std::move(end->out));
  if (!end->ok() || commit.empty()) return unknown;
  return commit;
}

std::optional<std::string> Repository::config(std::string_view name) const {
  const auto last = std::find_if(
      settings_.rbegin(), settings_.rend(), [&](const GitSetting& one) { return one.key == name; });
  return last == settings_.rend() ? std::nullopt : std::optional(last->value);
}

Result<std::string> Repository::ask_once(const Words& words) const {
  if (const auto known = answers_.find(words); known != answers_.end()) return known->second;
  Result<std::string> answer = ask(words);
  if (answer) answers_.emplace(words, *answer);
  return answer;
}

Result<std::vector<std::string>> Repository::merge_bases(const std::string& a,
                                                         const std::string& b) const {
  std::vector<std::string> bases;
  const Result<std::string> text = ask_once({"merge-base", "--all", a, b});
  if (!text) return bases;
  for (const std::string_view base : split(*text, '\n'))
    bases.emplace_back(base);
  return bases;
}

std::optional<std::string> Repository::head() const {
  Result<std::string> commit = ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  return commit ? std::optional(*std::move(commit)) : std::nullopt;
}

std::string Repository::branch() const {
  Result<ProgramEnd> end = run({"symbolic-ref", "--quiet", "--short", "HEAD"});
  return end && end->ok() ? without_last_newline(std::move(end->out)) : std::string();
}

Result<std::vector<TreeEntry>> Repository::tree_of(const std::string& commit) const {
  std::string folder = prefix_.empty() ? "" : prefix_.substr(0, prefix_.size() - 1);
  Result<ProgramEnd> end = run({"ls-tree", "-r", "-t", "-z", "--full-tree", commit + ":" + folder});
  if (!end) return end.error();
  std::vector<TreeEntry> entries;
  if (!end->ok()) return entries;
  std::string_view rest = end->out;
  while (!rest.empty()) {
    std::string_view item = take_item(rest);  // mode SP type SP id TAB path
    std::size_t tab = item.find('\t');
    std::size_t id = item.rfind(' ', tab);
    if (tab == std::string_view::npos || id == std::string_view::npos) continue;
    entries.push_back({std::string(item.substr(0, item.find(' '))),
                       std::string(item.substr(id + 1, tab - id - 1)),
                       std::string(item.substr(tab + 1))});
  }
  return entries;
}

// As many at once as the bound of what a run prints leaves room for.
Result<std::vector<std::string>> Repository::read_objects(
    const std::vector<std::string>& ids) const {
  constexpr std::size_t at_once = 4096;
  std::vector<std::string> objects;
  objects.reserve(ids.size());
  for (std::size_t begin = 0; begin < ids.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, ids.size() - begin);
    Result<void> done = read_some(std::span(ids).subspan(begin, count), objects);
    if (!done) return done.error();
  }
  return objects;
}

Result<void> Repository::read_some(std::span<const std::string> ids,
                                   std::vector<std::string>& objects) const {
  std::string input;
  for (const std::string& id : ids)
    input += id + "\n";
  Result<ProgramEnd> end = run({"cat-file", "--batch", "--buffer"}, input);
  if (!end) return end.error();
  std::string_view rest = end->out;
  for (const std::string& wanted : ids) {  // id SP type SP size LF bytes LF
    std::string_view head = rest.substr(0, rest.find('\n'));
    std::size_t size = 0;
    std::size_t blank = head.rfind(' ');
    if (blank == std::string_view::npos || head.ends_with(" missing")) {
      return Error{ErrorCode::io_error, "git no longer has the object " + wanted, Map{}};
    }
    std::from_chars(head.data() + blank + 1, head.data() + head.size(), size);
    if (rest.size() < head.size() + size + 2) return failure(*end, "cat-file");
    objects.emplace_back(rest.substr(head.size() + 1, size));
    rest.remove_prefix(head.size() + size + 2);
  }
  return {};
}

Result<std::optional<std::string>> Repository::file_in(const std::string& commit,
                                                       std::string_view path) const {
  Result<ProgramEnd> end = run({"cat-file", "blob", commit + ":" + prefix_ + std::string(path)});
  if (!end) return end.error();
  if (!end->ok()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(end->out));
}

Result<std::vector<FileChange>> Repository::raw_changes(Words command, const Words& words) const {
  command.insert(command.end(),
                 {"--raw",
                  "-z",
                  "--no-abbrev",
                  "--no-ext-diff",
                  "--no-textconv",
                  "--ignore-submodules=dirty",
                  "--find-renames"});
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--", "."});
  Result<ProgramEnd> end = run(command);
  if (!end) return end.error();
  if (!end->ok()) return failure(*end, command.front());
  return parse_raw_changes(end->out, prefix_);
}

Result<std::vector<FileChange>> Repository::changes(const Words& words) const {
  return raw_changes({"diff"}, words);
}

Result<std::vector<FileChange>> Repository::changes_since_head() const {
  Result<std::vector<FileChange>> found = changes({"--no-renames", "HEAD"});
  return found || head() ? found : std::vector<FileChange>{};
}

Result<std::vector<FileChange>> Repository::logged_changes(const Words& words) const {
  return raw_changes({"log", "--format="}, words);
}

Result<std::vector<std::string>> Repository::untracked() const {
  Result<ProgramEnd> end = run({"ls-files", "--others", "--exclude-standard", "-z", "--", "."});
  if (!end) return end.error();
  if (!end->ok()) return failure(*end, "ls-files");
  return items_of(end->out);
}

Result<std::vector<std::string>> Repository::status() const {
  Result<ProgramEnd> end = run({"status",
                                "--porcelain",
                                "-z",
                                "--no-renames",
                                "--untracked-files=all",
                                "--ignore-submodules=dirty",
                                "--",
                                "."});
  if (!end) return end.error();
  if (!end->ok()) return failure(*end, "looking for what changed");
  return items_of(end->out);
}

Result<std::vector<FileChange>> Repository::changes_since(const std::string& commit) const {
  Result<std::vector<FileChange>> found = changes({commit});
  if (!found) return found;
  Result<std::vector<std::string>> others = untracked();
  if (!others) return others.error();
  for (const std::string& path : *others)
    found->push_back({'A', path, path});
  return found;
}

std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty())
    items.emplace_back(take_item(text));
  return items;
}

std::vector<FileChange> parse_raw_changes(std::string_view text, std::string_view prefix) {
  std::vector<FileChange> changes;
  // :mode mode id id status NUL path NUL [new path NUL]; of a merge as many colons, modes and ids
  // more as it has sides more, a letter of status for each side, and one path
  while (text.starts_with(':')) {
    std::string_view head = take_item(text);
    std::size_t sides = head.find_first_not_of(':');
    head.remove_prefix(std::min(sides, head.size()));
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= head.size();) {
      std::size_t end = std::min(head.find(' ', at), head.size());
      words.push_back(head.substr(at, end - at));
      at = end + 1;
    }
    if (words.size() != 2 * sides + 3 || words.back().empty()) break;
    std::string_view status = words.back();
    std::string_view old_path = take_item(text);
    bool two_paths = sides == 1 && (status[0] == 'R' || status[0] == 'C');
    std::string_view path = two_paths ? take_item(text) : old_path;
    std::optional<std::string> here = below(path, prefix);
    std::optional<std::string> before = below(old_path, prefix);
    if (!here) continue;
    for (std::size_t side = 0; side < sides; ++side) {
      FileChange change{status[std::min(side, status.size() - 1)], *here, before.value_or(*here)};
      change.old_mode = words[side];
      change.new_mode = words[sides];
      change.old_id = id_or_empty(words[sides + 1 + side]);
      change.new_id = id_or_empty(words[2 * sides + 1]);
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

namespace {

bool is_meant(char index, char tree, ChangedSince since) {
  if (since == ChangedSince::index) return index != ' ' && index != '?' && index != 'D';
  return tree != 'D' && (tree != ' ' || index != 'D');
}

}  // namespace

Result<std::set<std::string, std::less<>>> changed_paths(const Repository& repository,
                                                         ChangedSince since) {
  Result<std::vector<std::string>> lines = repository.status();
  if (!lines) return lines.error();
  constexpr std::size_t path_begins = 3;
  std::set<std::string, std::less<>> paths;
  for (const std::string& line : *lines) {
    if (line.size() <= path_begins || !is_meant(line[0], line[1], since)) continue;
    const std::string path = line.substr(path_begins);
    if (path.starts_with(repository.prefix()))
      paths.insert(path.substr(repository.prefix().size()));
  }
  return paths;
}

void keep_path_filters(const Repository& repository) {
  // Where core.commitGraph is off git writes nothing, and says so.
  static_cast<void>(repository.run({"commit-graph",
                                    "write",
                                    "--reachable",
                                    "--changed-paths",
                                    "--split",
                                    "--max-new-filters=10000",
                                    "--no-progress"}));
}

}  // namespace notesdb
