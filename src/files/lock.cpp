#include "files/lock.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/failure.h"

namespace notesdb {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

Error lock_is_held() {
  return busy("busy: another program has held the workspace's write lock for too long; try again");
}

// flock cannot wait for a limited time, so it is asked again, ever more rarely.
int flock_until(int file, Clock::time_point deadline) {
  microseconds pause(50);
  constexpr microseconds longest(5'000);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || Clock::now() >= deadline) return errno;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, longest);
  }
  return 0;
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
  if (file_ >= 0) ::close(file_);
}

int WorkspaceLock::lock_file(int folder, Clock::time_point deadline) {
  constexpr mode_t everyone = 0666;
  while (true) {
    // Opened for writing too: NFS turns flock into a byte-range lock, which wants that.
    if (file_ < 0) {
      file_ = ::openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, everyone);
    }
    if (file_ < 0) return errno;
    const int error = flock_until(file_, deadline);
    struct stat ours {};
    struct stat there {};
    if (error == 0 && ::fstat(file_, &ours) == 0 &&
        ::fstatat(folder, "lock", &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) {
      return 0;
    }
    // Failed, or somebody deleted the file we know: others would lock the new one.
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
