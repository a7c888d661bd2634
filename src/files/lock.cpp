#include "files/lock.h"

#include <cerrno>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/failure.h"

namespace notesdb {

namespace {

using Clock = std::chrono::steady_clock;

// A thread's place in the kernel's queue.
struct Place {
  std::mutex mutex;
  std::condition_variable changed;
  bool wanted = false;
  bool left = false;  // the thread stands here no more; `error` says how it went
  int error = 0;
  Descriptor file;  // a second one of the caller's open file, which is what owns the lock
};

// The places that callers have left because their deadline had come.
class LeftPlaces {
 public:
  static LeftPlaces& ours() {
    static LeftPlaces places;
    return places;
  }
  std::shared_ptr<Place> take(int file) {
    const std::lock_guard<std::mutex> alone(mutex_);
    const auto found = places_.find(file);
    if (found == places_.end()) return nullptr;
    std::shared_ptr<Place> place = std::move(found->second);
    places_.erase(found);
    return place;
  }
  void put(int file, std::shared_ptr<Place> place) {
    const std::lock_guard<std::mutex> alone(mutex_);
    places_[file] = std::move(place);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Place>> places_;
};

int flock_now(int file) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int flock_whenever(int file) {
  while (::flock(file, LOCK_EX) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Where no thread can be had.
int ask_until(int file, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds pause(1);
  int error = flock_now(file);
  while (error == EWOULDBLOCK && Clock::now() < deadline) {
    std::this_thread::sleep_for(pause);
    error = flock_now(file);
  }
  return error;
}

void stand_in_queue(const std::shared_ptr<Place>& place) {
  int error = flock_whenever(place->file.get());
  const std::lock_guard<std::mutex> alone(place->mutex);
  if (error == 0 && !place->wanted) {
    ::flock(place->file.get(), LOCK_UN);
    error = EWOULDBLOCK;
  }
  place->file.close();
  place->error = error;
  place->left = true;
  place->changed.notify_all();
}

// Empty where the system refuses a thread or a descriptor.
std::shared_ptr<Place> queue_up(int file) {
  auto place = std::make_shared<Place>();
  place->wanted = true;
  place->file = Descriptor(::dup(file));
  if (!place->file) return nullptr;
  try {
    std::thread(stand_in_queue, place).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return place;
}

// Whether the thread at the place may still get the lock for us.
bool take_over(Place& place) {
  const std::lock_guard<std::mutex> alone(place.mutex);
  place.wanted = !place.left;
  return place.wanted;
}

}  // namespace

int flock_in_turn(int file, Clock::time_point deadline) {
  std::shared_ptr<Place> place = LeftPlaces::ours().take(file);
  if (!place || !take_over(*place)) {
    const int error = flock_now(file);
    if (error != EWOULDBLOCK || Clock::now() >= deadline) return error;
    place = queue_up(file);
    if (!place) return ask_until(file, deadline);
  }
  std::unique_lock<std::mutex> alone(place->mutex);
  if (place->changed.wait_until(alone, deadline, [&] { return place->left; })) return place->error;
  place->wanted = false;
  alone.unlock();
  LeftPlaces::ours().put(file, std::move(place));
  return EWOULDBLOCK;
}

void leave_flock_queue(int file) {
  LeftPlaces::ours().take(file);
}

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
