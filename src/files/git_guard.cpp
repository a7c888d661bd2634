#include "files/git_guard.h"

#include <algorithm>
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

// The git directory that governs `folder`; empty if there is none.
std::string git_directory_of(std::string folder) {
  constexpr int deepest = 64;
  for (int level = 0; level < deepest; ++level) {
    struct stat status {};
    if (::stat((folder + "/.git").c_str(), &status) == 0) {
      if (S_ISDIR(status.st_mode)) return folder + "/.git";
      // A worktree's or a submodule's.
      if (S_ISREG(status.st_mode)) return read_pointer(folder, ".git", "gitdir: ");
    }
    struct stat parent {};
    if (::stat(folder.c_str(), &status) != 0) return "";
    folder += "/..";
    if (::stat(folder.c_str(), &parent) != 0) return "";
    if (parent.st_ino == status.st_ino && parent.st_dev == status.st_dev) return "";  // the top
  }
  return "";
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

bool GitGuard::git_is_working(std::string_view folder) const {
  std::string path = root_ + "/" + std::string(folder);
  struct stat status {};
  while (folder != "." && ::stat(path.c_str(), &status) != 0) {
    folder = folder_of(folder);
    path = root_ + "/" + std::string(folder);
  }
  // Looked up each time: `git init` may come after us, and it costs a few microseconds.
  const std::string directory = git_directory_of(path);
  return !directory.empty() && ::access((directory + "/index.lock").c_str(), F_OK) == 0;
}

Result<void> GitGuard::wait(const Folders& folders, std::chrono::milliseconds patience) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  while (std::any_of(folders.begin(), folders.end(), [this](const std::string& folder) {
    return git_is_working(folder);
  })) {
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
