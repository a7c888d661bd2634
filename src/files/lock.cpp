#include "files/lock.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/failure.h"
#include "files/flock_queue.h"

namespace notesdb {
namespace {

using Clock = std::chrono::steady_clock;

Error lock_is_held() {
  return busy("busy: another program has held the workspace's write lock for too long; try again");
}

bool is_lock_of(int folder, int file) {
  struct stat ours {};
  struct stat there {};
  return ::fstat(file, &ours) == 0 && ::fstatat(folder, "lock", &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

}  // namespace

HeldLock& HeldLock::operator=(HeldLock&& other) noexcept {
  std::swap(lock_, other.lock_);
  return *this;
}

HeldLock::~HeldLock() {
  if (lock_ != nullptr) lock_->release();
}

WorkspaceLock::~WorkspaceLock() {
  if (file_ < 0) return;
  leave_flock_queue(file_);
  ::close(file_);
}

int WorkspaceLock::lock_file(int folder, Clock::time_point deadline) {
  constexpr mode_t everyone = 0666;
  while (true) {
    // Opened for writing too: NFS turns flock into a byte-range lock, which wants that.
    if (file_ < 0) {
      file_ = ::openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, everyone);
    }
    if (file_ < 0) return errno;
    const int error = flock_in_turn(file_, deadline);
    // Somebody may have deleted the file we know: others would lock the new one.
    const bool known = is_lock_of(folder, file_);
    if (known && (error == 0 || error == EWOULDBLOCK)) return error;
    leave_flock_queue(file_);
    ::close(std::exchange(file_, -1));
    if (error != 0) return error;
  }
}

Result<HeldLock> WorkspaceLock::take(int folder, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  if (!mutex_.try_lock_until(deadline)) return lock_is_held();
  if (depth_ > 0) {
    ++depth_;
    return HeldLock(this);
  }
  const int error = lock_file(folder, deadline);
  if (error != 0) {
    mutex_.unlock();
    if (error == EWOULDBLOCK) return lock_is_held();
    return failure(error, "lock", ".notesdb/lock");
  }
  ++depth_;
  return HeldLock(this);
}

void WorkspaceLock::release() {
  if (--depth_ == 0) ::flock(file_, LOCK_UN);
  mutex_.unlock();
}

}  // namespace notesdb
