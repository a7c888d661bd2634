// WorkspaceLock: one writer at a time in a workspace, among the processes and threads of notesdb.
//
// It is flock on `.notesdb/lock`, which holds no data, is never deleted, and is let go by the
// kernel when its holder dies: nothing stale, no process id to guess about. Readers take no lock.
// Other programs do not know it; the write protocol (docs/writing.md) protects what they save.
//
// Inside a process it is recursive: a caller that must look before it writes (is this value
// unique? which id is next?) takes the lock, and the writes it makes on the same thread reuse it.
#pragma once

#include <chrono>
#include <mutex>

#include <sys/types.h>

#include "core/result.h"

namespace notesdb {

class WorkspaceLock;

// The lock while it is held. Letting the object go releases it; it must not outlive the file
// system it came from, nor change threads.
class HeldLock {
 public:
  HeldLock() = default;
  explicit HeldLock(WorkspaceLock* lock) : lock_(lock) {}
  HeldLock(HeldLock&& other) noexcept : lock_(other.lock_) { other.lock_ = nullptr; }
  HeldLock& operator=(HeldLock&& other) noexcept;
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock();

 private:
  WorkspaceLock* lock_ = nullptr;
};

class WorkspaceLock {
 public:
  WorkspaceLock() = default;
  WorkspaceLock(const WorkspaceLock&) = delete;
  WorkspaceLock& operator=(const WorkspaceLock&) = delete;
  ~WorkspaceLock();

  // Waits at most `patience`, then fails with busy. `folder` is a descriptor of `.notesdb`.
  Result<HeldLock> take(int folder, std::chrono::milliseconds patience);

  // Whether the calling thread is the only one that can see depth > 1: a take inside a take.
  bool nested() const { return depth_ > 1; }

 private:
  friend class HeldLock;
  int open_file(int folder);
  bool is_lock_of(int folder) const;
  int lock_file(int folder, std::chrono::steady_clock::time_point deadline);
  void release();

  std::recursive_timed_mutex mutex_;
  int depth_ = 0;
  int file_ = -1;  // kept open between takes
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Waiting for a flock fairly, and not for ever: the kernel hands a flock on to those who wait for it, but has no time limit for them. Asking
// again and again has one, and starves: whoever asks rarely finds the lock taken by one who has
// just come. So a thread stands in the kernel's queue, and the caller waits for the thread. A
// caller who gives up leaves the thread where it stands; the next one takes over its place in the
// queue, and if none has come by then the lock is let go at once.
//
// Any thread may call, one at a time for each descriptor.
//
// Locks an open file for ourselves alone. EWOULDBLOCK when the deadline has come; else errno.
int flock_in_turn(int file, std::chrono::steady_clock::time_point deadline);

// To be called before a descriptor is closed for which the deadline came: nobody will want the
// lock.
void leave_flock_queue(int file);

}  // namespace notesdb
