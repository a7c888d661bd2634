#include "git/setup.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file_name.h"
#include "files/descriptor.h"
#include "files/names.h"

namespace notesdb {

namespace {

constexpr std::string_view begin_mark = "# begin notesdb\n";
constexpr std::string_view end_mark = "# end notesdb\n";
constexpr std::string_view hook_mark = "# notesdb: rows are checked before they are committed\n";
constexpr std::string_view driver_section = "merge.notesdb";

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Beside first, then in its place: git never reads half of it. Beside there may be a link, or what
// somebody has left there: it is taken away, not followed.
Result<void> write_text(const std::string& path, const std::string& text, bool executable) {
  Error failed{ErrorCode::io_error, "git's own folder cannot be written", Map{}};
  std::string folder(folder_of(path));
  if (::mkdir(folder.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) != 0 && errno != EEXIST) return failed;
  const std::string beside = path + ".notesdb";
  mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  if (executable) mode |= S_IXUSR | S_IXGRP | S_IXOTH;
  ::unlink(beside.c_str());
  const Descriptor file(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  bool done = file && write_whole(file.get(), text) == 0 && ::fchmod(file.get(), mode) == 0 &&
              ::rename(beside.c_str(), path.c_str()) == 0;
  if (!done) return failed;
  return {};
}

// A path as a pattern of git: what means something in patterns is escaped, spaces are quoted.
std::string as_pattern(std::string_view path) {
  std::string pattern;
  for (char c : path) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  if (pattern.find_first_of(" \t\"#!") == std::string::npos) return pattern;
  std::string quoted = "\"";
  for (char c : pattern) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Result<std::string> attributes_of(const Workspace& workspace, const Repository& repository) {
  Result<DatabaseIds> databases = workspace.database_ids();
  if (!databases) return databases.error();
  std::string lines(begin_mark);
  for (const std::string& id : databases->ids) {
    std::string folder = "/" + repository.prefix() + (id == "." ? "" : id + "/");
    for (const std::string_view ending : row_file_endings()) {
      std::string pattern = as_pattern(folder);
      bool is_quoted = pattern.ends_with('"');
      if (is_quoted) pattern.pop_back();
      lines +=
          pattern + "**/*" + std::string(ending) + (is_quoted ? "\"" : "") + " merge=notesdb\n";
    }
  }
  return lines + std::string(end_mark);
}

std::string without_ours(const std::string& text) {
  std::size_t begin = text.find(begin_mark);
  std::size_t end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return text;
  return text.substr(0, begin) + text.substr(end + end_mark.size());
}

class Setup {
 public:
  Setup(const Workspace& workspace, const Repository& repository, const SetupRequest& request)
      : workspace_(workspace), repository_(repository), request_(request) {}

  Result<std::vector<std::string>> run() {
    if (Result<void> done = attributes(); !done) return done.error();
    if (Result<void> done = driver(); !done) return done.error();
    if (Result<void> done = hook(); !done) return done.error();
    return changed_;
  }

 private:
  bool installs() const { return request_.kind == SetupKind::install; }

  Result<void> attributes() {
    const std::string& path = repository_.attributes_path();
    std::string before = read_text(path);
    std::string after = without_ours(before);
    if (installs()) {
      Result<std::string> ours = attributes_of(workspace_, repository_);
      if (!ours) return ours.error();
      if (!after.empty() && !after.ends_with('\n')) after += '\n';
      after += *ours;
    }
    if (after == before) return {};
    changed_.emplace_back(installs() ? "info/attributes: the rows of all databases merge by field"
                                     : "info/attributes: the lines of notesdb are gone");
    return request_.dry_run ? Result<void>() : write_text(path, after, false);
  }

  Result<void> driver() {
    const std::string command = merge_driver_command();
    std::optional<std::string> now = repository_.config(std::string(driver_section) + ".driver");
    if (installs() ? now == command : !now) return {};
    changed_.push_back(installs() ? "config: merge.notesdb.driver = " + std::string("notesdb ") +
                                        "merge-file %O %A %B --path %P"
                                  : std::string("config: merge.notesdb is gone"));
    if (request_.dry_run) return {};
    if (!installs()) {
      Result<std::string> done =
          repository_.ask({"config", "--local", "--remove-section", std::string(driver_section)});
      return done ? Result<void>() : done.error();
    }
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>{".name", "rows of notesdb, by field"},
          std::pair<std::string, std::string>{".driver", command}}) {
      Result<std::string> done =
          repository_.ask({"config", "--local", std::string(driver_section) + key, value});
      if (!done) return done.error();
    }
    return {};
  }

  Result<void> hook() {
    if (installs() && !request_.hook) return {};
    const std::string path = repository_.hook_path("pre-commit");
    std::string before = read_text(path);
    bool is_ours = before.find(hook_mark) != std::string::npos;
    if (!installs()) return is_ours ? remove_hook(path) : Result<void>();
    const std::string text = own_hook(repository_.root());
    if (before == text) return {};
    if (!before.empty() && !is_ours) {
      return Error{ErrorCode::already_exists,
                   "there is a pre-commit hook already; add `notesdb check --changed` to it",
                   Map{}};
    }
    changed_.emplace_back("hooks/pre-commit: runs notesdb check --changed");
    return request_.dry_run ? Result<void>() : write_text(path, text, true);
  }

  Result<void> remove_hook(const std::string& path) {
    changed_.emplace_back("hooks/pre-commit is gone");
    if (!request_.dry_run && ::unlink(path.c_str()) != 0)
      return Error{ErrorCode::io_error, "the pre-commit hook cannot be removed", Map{}};
    return {};
  }

  const Workspace& workspace_;
  const Repository& repository_;
  SetupRequest request_;
  std::vector<std::string> changed_;
};

}  // namespace

Result<std::vector<std::string>> set_up_git(const Workspace& workspace,
                                            const Repository& repository,
                                            const SetupRequest& request) {
  return Setup(workspace, repository, request).run();
}

}  // namespace notesdb
