#include "files/child_process.h"

#include <algorithm>
#include <cerrno>
#include <thread>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"

namespace notesdb {

namespace {

bool has_ended(pid_t child) {
  siginfo_t info{};
  const int found = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return found != 0 || info.si_pid == child;
}

Descriptor watch(pid_t child) {
#ifdef SYS_pidfd_open
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
#else
  static_cast<void>(child);
  return Descriptor();
#endif
}

}  // namespace

bool ends_within(pid_t child, std::chrono::milliseconds patience) {
  if (has_ended(child)) return true;
  if (const Descriptor watched = watch(child)) {
    pollfd events{watched.get(), POLLIN, 0};
    ::poll(&events, 1, static_cast<int>(patience.count()));
    return has_ended(child);
  }
  constexpr std::chrono::milliseconds pause{2};
  for (std::chrono::milliseconds waited{0}; waited < patience; waited += pause) {
    std::this_thread::sleep_for(std::min(pause, patience - waited));
    if (has_ended(child)) return true;
  }
  return false;
}

}  // namespace notesdb
