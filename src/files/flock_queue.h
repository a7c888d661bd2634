// flock_in_turn: waiting for a flock fairly, and not for ever.
//
// The kernel hands a flock on to those who wait for it, but has no time limit for them. Asking
// again and again has one, and starves: whoever asks rarely finds the lock taken by one who has
// just come. So a thread stands in the kernel's queue, and the caller waits for the thread. A
// caller who gives up leaves the thread where it stands; the next one takes over its place in the
// queue, and if none has come by then the lock is let go at once.
//
// Any thread may call, one at a time for each descriptor.
#pragma once

#include <chrono>

namespace notesdb {

// Locks an open file for ourselves alone. EWOULDBLOCK when the deadline has come; else errno.
int flock_in_turn(int file, std::chrono::steady_clock::time_point deadline);

// To be called before a descriptor is closed for which the deadline came: nobody will want the
// lock.
void leave_flock_queue(int file);

}  // namespace notesdb
