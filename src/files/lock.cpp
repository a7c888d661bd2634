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

int WorkspaceLock::open_file(int folder) {
  constexpr mode_t owner_only = 0600;
  // For writing too: NFS turns flock into a byte-range lock, which wants that.
  file_ = ::openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, owner_only);
  struct stat ours {};
  struct stat above {};
  if (file_ < 0 || ::fstat(file_, &ours) != 0 || ::fstat(folder, &above) != 0) return errno;
  // Whoever can open it can hold it: those who may write beside it, and nobody else.
  const mode_t wanted = owner_only | ((above.st_mode & S_IWGRP) != 0 ? S_IRGRP | S_IWGRP : 0U);
  if ((ours.st_mode & 0777U) != wanted && ours.st_uid == ::geteuid()) ::fchmod(file_, wanted);
  device_ = ours.st_dev;
  inode_ = ours.st_ino;
  return 0;
}

bool WorkspaceLock::is_lock_of(int folder) const {
  struct stat there {};
  return ::fstatat(folder, "lock", &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == inode_ &&
         there.st_dev == device_;
}

int WorkspaceLock::lock_file(int folder, Clock::time_point deadline) {
  while (true) {
    if (file_ < 0) {
      if (const int error = open_file(folder)) return error;
    }
    const int error = flock_in_turn(file_, deadline);
    // Somebody may have deleted the file we know: others would lock the new one.
    const bool known = is_lock_of(folder);
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
