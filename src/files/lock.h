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

}  // namespace notesdb
