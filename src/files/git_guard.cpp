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

// The path behind `mark` in the first line of a file that git points with, taken from `folder`.
std::string read_pointer(const std::string& folder, const char* name, std::string_view mark) {
  const std::string pointer = folder + "/" + name;
  const Descriptor file(::open(pointer.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  if (!file || read_whole(file.get(), longest_pointer, text) != 0) return "";
  if (!text.starts_with(mark)) return "";
  std::string path = text.substr(mark.size(), text.find('\n') - mark.size());
  if (path.ends_with('\r')) path.pop_back();
  return path.starts_with('/') ? path : folder + "/" + path;
}

// What `.git` in this very folder is, or points to if it is a worktree's or a submodule's. None if
// there is no such thing; empty if it points nowhere.
std::optional<std::string> own_git_directory(const std::string& folder) {
  std::string directory = folder + "/.git";
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return directory;
  if (S_ISREG(status.st_mode)) return read_pointer(folder, ".git", "gitdir: ");
  return std::nullopt;
}

// The git directory that governs `folder`; empty if there is none.
std::string git_directory_of(std::string folder) {
  constexpr int deepest = 64;
  struct stat here {};
  for (int level = 0; level < deepest; ++level) {
    if (std::optional<std::string> own = own_git_directory(folder)) return *std::move(own);
    if (level == 0 && ::stat(folder.c_str(), &here) != 0) return "";
    folder += "/..";
    struct stat above {};
    if (::stat(folder.c_str(), &above) != 0) return "";
    if (above.st_ino == here.st_ino && above.st_dev == here.st_dev) return "";  // the top
    here = above;
  }
  return "";
}

bool is_locked(const std::string& git_directory) {
  return !git_directory.empty() && ::access((git_directory + "/index.lock").c_str(), F_OK) == 0;
}

}  // namespace

std::vector<std::string> git_directories_of(const std::string& folder) {
  std::vector<std::string> directories;
  const std::string own = git_directory_of(folder);
  if (!own.empty()) directories.push_back(own);
  const std::string shared = own.empty() ? "" : read_pointer(own, "commondir", "");
  if (!shared.empty()) directories.push_back(shared);
  return directories;
}

// Looked up each time: `git init` may come after us, and it costs a few microseconds.
bool GitGuard::git_is_working(const Folders& folders) const {
  // Folders share those above them, at the latest the root, and each is looked into once.
  std::set<std::string_view> seen;
  for (std::string_view folder : folders) {
    for (; folder != "." && seen.insert(folder).second; folder = folder_of(folder)) {
      const auto directory = own_git_directory(root_ + "/" + std::string(folder));
      if (!directory) continue;
      if (is_locked(*directory)) return true;
      break;
    }
    if (folder == "." && seen.insert(folder).second && is_locked(git_directory_of(root_))) {
      return true;
    }
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
