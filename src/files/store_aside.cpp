#include "files/store_aside.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/failure.h"
#include "files/flock_queue.h"
#include "files/kernel.h"
#include "files/store.h"

namespace notesdb {
namespace {

constexpr std::string_view aside_beside = ".notesdb.foreign-";
constexpr std::chrono::milliseconds lock_patience(5'000);
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

// Whoever works in it now, with another state folder than ours, is waited for.
Result<Descriptor> lock_of_foreign(int base) {
  Descriptor lock(::openat(base, "lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!lock || ::fstat(lock.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return Descriptor();
  const auto deadline = std::chrono::steady_clock::now() + lock_patience;
  const int error = flock_in_turn(lock.get(), deadline);
  leave_flock_queue(lock.get());
  if (error == EWOULDBLOCK)
    return busy(
        "busy: another program has held the workspace's write lock for too long; try again");
  return lock;
}

Error not_ours(const std::string& why, std::string_view what_then) {
  return Error{ErrorCode::io_error, ".notesdb " + why + ", and " + std::string(what_then)};
}

}  // namespace

Result<std::vector<std::string>> names_in_folder(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) {
    const int error = errno;
    if (copy >= 0) ::close(copy);
    return failure(error, "list", store_name);
  }
  std::vector<std::string> names;
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.push_back(std::move(name));
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return failure(error, "list", store_name);
  return names;
}

bool is_store_at(const Root& root, std::uint64_t device, std::uint64_t inode) {
  struct stat status {};
  return ::fstatat(root.descriptor(), store_name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_ino == inode && status.st_dev == device;
}

Result<std::string> move_store_aside(const Root& root, int base, const std::string& why) {
  struct stat status {};
  if (::fstatat(root.descriptor(), store_name.data(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::string();
  Descriptor lock;
  if (base >= 0) {
    Result<Descriptor> held = lock_of_foreign(base);
    if (!held) return held.error();
    lock = *std::move(held);
  }
  if (!is_store_at(root, status.st_dev, status.st_ino))
    return std::string();  // somebody else has done it
  constexpr int random_part = 6;
  std::string name = std::string(aside_beside) + random_letters(random_part);
  const int error =
      kernel::rename_new(root.descriptor(), store_name.data(), root.descriptor(), name.c_str());
  if (error == ENOENT) return std::string();
  if (error != 0)
    return not_ours(why, "cannot be set aside (" + errno_words(error) + "); remove it");
  return name;
}

void move_store_into(const Root& root, int base, const std::string& name) {
  constexpr int max_number = 1'000;
  for (int number = 1; number < max_number; ++number) {
    const std::string target = std::string(store_aside_prefix) + std::to_string(number);
    const int error = kernel::rename_new(root.descriptor(), name.c_str(), base, target.c_str());
    if (error != EEXIST && error != ENOTEMPTY) return;
  }
}

std::vector<std::string> stores_set_aside(const Root& root) {
  std::vector<std::string> found;
  const auto add = [&](int folder, std::string_view prefix, const std::string& above) {
    const auto names = names_in_folder(folder);
    if (!names) return;
    for (const std::string& name : *names) {
      if (name.starts_with(prefix)) found.push_back(above + name);
    }
  };
  add(root.descriptor(), aside_beside, "");
  const Descriptor base(::openat(root.descriptor(), store_name.data(), folder_flags));
  if (base) add(base.get(), store_aside_prefix, std::string(store_name) + "/");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace notesdb
