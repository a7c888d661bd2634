#include "files/git_guard.h"

#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/failure.h"
#include "files/names.h"

namespace notesdb {
namespace {

constexpr std::size_t longest_pointer = 4096;

// A folder, by its path from an open one (or from AT_FDCWD).
struct Below {
  int base = AT_FDCWD;
  std::string path;

  Below operator/(std::string_view name) const {
    std::string longer;
    longer.reserve(path.size() + 1 + name.size());
    return {base, longer.append(path).append("/").append(name)};
  }
};

bool look_at(const Below& place, struct stat& status) {
  return ::fstatat(place.base, place.path.c_str(), &status, 0) == 0;
}

// The path after `mark` in the first line of a file that git points with, taken from `folder`.
std::string read_pointer(const Below& folder, const char* name, std::string_view mark) {
  const Below pointer = folder / name;
  const Descriptor file(
      ::openat(pointer.base, pointer.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  if (!file || read_whole(file.get(), longest_pointer, text) != 0) return "";
  if (!text.starts_with(mark)) return "";
  std::string path = text.substr(mark.size(), text.find('\n') - mark.size());
  if (path.ends_with('\r')) path.pop_back();
  return path.starts_with('/') ? path : (folder / path).path;
}

// What `.git` in this very folder is, or points to if it is a worktree's or a submodule's. None if
// there is no such thing; empty if it points nowhere.
std::optional<std::string> own_git_directory(const Below& folder) {
  Below directory = folder / ".git";
  struct stat status {};
  if (!look_at(directory, status)) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return std::move(directory.path);
  if (S_ISREG(status.st_mode)) return read_pointer(folder, ".git", "gitdir: ");
  return std::nullopt;
}

// Whether nothing is above: it is the root of all that this process sees, or out of reach.
bool is_top(const Below& folder) {
  static const FileStat top = [] {
    struct stat status {};
    return ::stat("/", &status) == 0 ? to_file_stat(status) : FileStat{};
  }();
  struct stat status {};
  if (!look_at(folder, status)) return true;
  const StatKey here = to_file_stat(status).key;
  return here.inode == top.key.inode && here.device == top.key.device;
}

// The git directory that governs `folder`; empty if there is none. `height`: how many folders are
// known to be above, and afterwards how many there are.
//
// Each is asked for its `.git` every time, by names that lead upwards from `folder` itself: so a
// `git init` after our back is seen, and a move to another place too. Only that there is no folder
// more is not asked of each, but of the one that was the topmost: if it still is, the way up is no
// longer than it was, and if it has become shorter the topmost was merely asked twice.
std::string git_directory_of(Below folder, int& height) {
  constexpr int deepest = 64;
  for (int level = 0; level < deepest; ++level) {
    if (std::optional<std::string> own = own_git_directory(folder)) return *std::move(own);
    if (level >= height && is_top(folder)) {
      height = level;
      return "";
    }
    folder.path += "/..";
  }
  return "";
}

bool is_locked(int base, const std::string& git_directory) {
  if (git_directory.empty()) return false;
  return ::faccessat(base, (git_directory + "/index.lock").c_str(), F_OK, 0) == 0;
}

}  // namespace

std::vector<std::string> git_directories_of(const std::string& folder) {
  std::vector<std::string> directories;
  int height = 0;
  const std::string own = git_directory_of({AT_FDCWD, folder}, height);
  if (!own.empty()) directories.push_back(own);
  const std::string shared = own.empty() ? "" : read_pointer({AT_FDCWD, own}, "commondir", "");
  if (!shared.empty()) directories.push_back(shared);
  return directories;
}

// Looked up each time: `git init` may come after us, and it costs a few microseconds.
bool GitGuard::git_is_working(const Folders& folders) const {
  const Below root{base_, root_};
  // Folders share those above them, at the latest the root, and each is looked into once.
  std::set<std::string_view> seen;
  for (std::string_view folder : folders) {
    for (; folder != "." && seen.insert(folder).second; folder = folder_of(folder)) {
      const auto directory = own_git_directory(root / folder);
      if (!directory) continue;
      if (is_locked(base_, *directory)) return true;
      break;
    }
    if (folder != "." || !seen.insert(folder).second) continue;
    int height = height_.load(std::memory_order_relaxed);
    if (is_locked(base_, git_directory_of(root, height))) return true;
    height_.store(height, std::memory_order_relaxed);
  }
  return false;
}

Result<void> GitGuard::wait(const Folders& folders, std::chrono::milliseconds patience) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  while (git_is_working(folders)) {
    if (Clock::now() >= deadline) {
      return busy(
          "busy: git is working here (there is an index.lock in its directory); try again when it "
          "has finished, or remove that file if no git is running");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

}  // namespace notesdb
