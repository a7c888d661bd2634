#include "git/folder_programs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "git/git_run.h"

namespace notesdb {

namespace {

using Names = std::vector<std::string_view>;

bool is_any(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

// section.subsection.name; a subsection may hold dots and be missing.
struct Key {
  explicit Key(std::string_view key) {
    const std::size_t first = key.find('.');
    const std::size_t last = key.rfind('.');
    if (first == std::string_view::npos) return;
    section = key.substr(0, first);
    name = key.substr(last + 1);
    if (last > first) subsection = key.substr(first + 1, last - first - 1);
  }

  std::string_view section;
  std::string_view subsection;
  std::string_view name;
};

// Keys whose value git runs, or takes from somewhere what it runs, in what a sync does. Those that
// only a person's own git would run (pagers, editors, external diffs) are not among them: our runs
// switch them off, and nobody misses them.
bool names_program(const Key& key) {
  struct Family {
    std::string_view section;
    Names names;
  };
  static const std::vector<Family> families{
      {"alias", {"hook"}},  // of a git too old to have it built in
      {"core", {"alternaterefscommand", "askpass", "gitproxy", "hookspath", "sshcommand"}},
      {"credential", {"helper"}},
      {"filter", {"clean", "process", "smudge"}},
      {"gc", {"recentobjectshook"}},
      {"gpg", {"defaultkeycommand", "program"}},
      {"hook", {"command"}},
      {"http", {"cookiefile"}},  // which git writes
      {"lfs", {"clean", "path", "smudge", "standalonetransferagent"}},
      {"merge", {"driver"}},
      {"remote", {"receivepack", "uploadpack", "vcs"}}};
  if (key.section == "merge" && key.subsection == "notesdb") return false;  // ours, always replaced
  return std::ranges::any_of(families, [&](const Family& family) {
    return family.section == key.section && is_any(key.name, family.names);
  });
}

bool is_below(const std::string& path, const std::string& top) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal == top || normal.starts_with(top + "/");
}

// Whether an address of a remote is a helper's (ext::PROGRAM), or a repository in this folder,
// whose hooks and configuration would be the folder's: a relative one, or one below its top.
bool is_own_address(std::string_view address, const std::string& top) {
  constexpr std::string_view file = "file://";
  if (address.starts_with(file)) return is_below(std::string(address.substr(file.size())), top);
  const std::size_t colon = address.find(':');
  const bool has_colon = colon != std::string_view::npos && colon < address.find('/');
  if (has_colon) return address.substr(colon).starts_with("::");
  return !address.starts_with('/') || is_below(std::string(address), top);
}

bool is_own_remote(const Key& key, const std::string& value, const std::string& top) {
  if (key.section == "remote" && is_any(key.name, {"pushurl", "url"}))
    return is_own_address(value, top);
  return key.section == "url" && is_any(key.name, {"insteadof", "pushinsteadof"}) &&
         is_own_address(key.subsection, top);
}

bool is_of_the_folder(const GitSetting& setting) {
  return setting.scope == "local" || setting.scope == "worktree";
}

std::string home() {
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): never set here
  return home == nullptr ? std::string() : home;
}

// As git reads a path in its configuration.
std::string whole_path(const std::string& path, const std::string& from) {
  if (path.starts_with("~/")) return home() + path.substr(1);
  return path.starts_with('/') ? path : from + "/" + path;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

bool is_trust_in(const std::string& value, const std::string& top) {
  return value == "*" || (!value.empty() && real_path(whole_path(value, top)) == real_path(top));
}

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool is_own_hook(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // Whatever workspace it is for: it runs this program and no other.
  const std::string empty = own_hook("");
  const std::size_t root = empty.rfind("''") + 1;
  return text.size() >= empty.size() && text.starts_with(empty.substr(0, root)) &&
         text == own_hook(text.substr(root, text.size() - empty.size()));
}

// Hooks that a commit, a merge, a checkout, a fetch or a push runs.
const Names& hooks_of_a_sync() {
  static const Names names{"commit-msg",
                           "post-checkout",
                           "post-commit",
                           "post-index-change",
                           "post-merge",
                           "pre-auto-gc",
                           "pre-commit",
                           "pre-merge-commit",
                           "pre-push",
                           "prepare-commit-msg",
                           "reference-transaction"};
  return names;
}

}  // namespace

Result<std::vector<GitSetting>> git_settings(const std::string& folder) {
  Result<ProgramEnd> end =
      run_git({.folder = folder, .words = {"config", "--list", "--show-scope", "-z"}});
  if (!end) return end.error();
  if (!end->ok()) {
    return Error{
        ErrorCode::io_error,
        "git's configuration cannot be read: " + to_utf8(end->err.substr(0, end->err.find('\n'))),
        Map{}};
  }
  std::vector<GitSetting> settings;
  std::string_view rest = end->out;
  const auto take_item = [&rest] {
    const std::string_view item = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    return item;
  };
  while (
      !rest.empty()) {  // scope NUL key LF value NUL; without a value the line end is missing too
    GitSetting setting{std::string(take_item()), "", ""};
    const std::string_view item = take_item();
    const std::size_t line_end = std::min(item.find('\n'), item.size());
    setting.key = item.substr(0, line_end);
    setting.value = item.substr(std::min(line_end + 1, item.size()));
    if (setting.scope != "command") settings.push_back(std::move(setting));  // those are run_git's
  }
  return settings;
}

FolderPrograms::FolderPrograms(const std::vector<GitSetting>& settings,
                               const std::string& top,
                               const std::string& hooks)
    : hooks_(hooks) {
  bool has_own_hooks = true;
  for (const GitSetting& setting : settings) {
    const Key key(setting.key);
    const bool is_local = is_of_the_folder(setting);
    if (setting.key == "notesdb.trust" && !is_local) {
      is_trusted_ = is_trusted_ || is_trust_in(setting.value, top);
    } else if (setting.key == "core.hookspath") {
      hooks_ = whole_path(setting.value, top);
      has_own_hooks = is_local || is_below(hooks_, top);
    }
    if (!is_local) continue;
    if (names_program(key)) {
      off_.emplace_back(setting.key, key.section == "merge" ? "false" : "");
      if (key.section == "filter")
        off_.emplace_back("filter." + std::string(key.subsection) + ".required", "false");
      names_.push_back(setting.key);
    } else if (is_own_remote(key, setting.value, top)) {
      names_.push_back(setting.key);
    }
  }
  if (has_own_hooks) add_hooks();
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

void FolderPrograms::add_hooks() {
  for (const std::string_view name : hooks_of_a_sync()) {
    const std::string path = hooks_ + "/" + std::string(name);
    if (is_program(path) && !is_own_hook(path)) names_.push_back("hooks/" + std::string(name));
  }
}

std::string own_hook(const std::string& root) {
  return "#!/bin/sh\n# notesdb: rows are checked before they are committed\nexec " +
         quoted_for_shell(own_program()) + " --root " + quoted_for_shell(root) +
         " check --changed\n";
}

}  // namespace notesdb
