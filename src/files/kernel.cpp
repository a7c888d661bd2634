#include "files/kernel.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/vfs.h>
#endif

namespace notesdb::kernel {

namespace {

// The words file systems have for "not here".
bool means_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == ENOTSUP || error == EOPNOTSUPP ||
         error == ENOTTY;
}

// One component at a time, none of them a link.
Descriptor open_step_by_step(int folder, std::string_view path, int flags) {
  Descriptor here;
  int current = folder;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (name == "..") {
      errno = EXDEV;
      return Descriptor();
    }
    if (slash == std::string_view::npos) {
      return Descriptor(::openat(current, name.c_str(), flags | O_NOFOLLOW));
    }
    Descriptor next(::openat(current, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return next;
    here = std::move(next);
    current = here.get();
    path.remove_prefix(slash + 1);
  }
}

// Whether an open that leaves the time of access alone has been refused. Once is enough: another
// owner's file rarely is the only one.
std::atomic<bool> notes_access{false};

template <typename Open>
Descriptor open_unnoted(const Open& open) {
  constexpr int anything = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
#ifdef O_NOATIME
  if (!notes_access.load(std::memory_order_relaxed)) {
    Descriptor file = open(anything | O_NOATIME);
    if (file || errno != EPERM) return file;
    notes_access.store(true, std::memory_order_relaxed);
  }
#endif
  return open(anything);
}

int rename_with(int folder, const char* name, int new_folder, const char* new_name, unsigned flag) {
#ifdef __linux__
  if (::renameat2(folder, name, new_folder, new_name, flag) == 0) return 0;
  return means_unsupported(errno) ? ENOTSUP : errno;
#else
  return ENOTSUP;
#endif
}

}  // namespace

Descriptor open_beneath(int folder, const char* path, int flags) {
#ifdef SYS_openat2
  static std::atomic<bool> missing{false};
  if (!missing.load(std::memory_order_relaxed)) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const long file = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
    // A race with a rename makes the kernel ask for another try; EPERM is how old containers
    // refuse calls they do not know.
    if (file >= 0) return Descriptor(static_cast<int>(file));
    if (errno != ENOSYS && errno != EPERM && errno != EAGAIN) return Descriptor();
    if (errno == ENOSYS) missing.store(true, std::memory_order_relaxed);
  }
#endif
  return open_step_by_step(folder, path, flags);
}

Descriptor open_to_read(int folder, const char* name) {
  return open_unnoted([&](int flags) { return Descriptor(::openat(folder, name, flags)); });
}

Descriptor open_to_read_beneath(int folder, const char* path) {
  return open_unnoted([&](int flags) { return open_beneath(folder, path, flags); });
}

int exchange(int folder, const char* name, int other_folder, const char* other) {
#ifdef RENAME_EXCHANGE
  return rename_with(folder, name, other_folder, other, RENAME_EXCHANGE);
#else
  return ENOTSUP;
#endif
}

int rename_new(int folder, const char* name, int new_folder, const char* new_name) {
#ifdef RENAME_NOREPLACE
  const int error = rename_with(folder, name, new_folder, new_name, RENAME_NOREPLACE);
  if (error != ENOTSUP) return error;
#endif
  if (::linkat(folder, name, new_folder, new_name, 0) != 0) {
    return errno == EPERM ? ENOTSUP : errno;
  }
  return ::unlinkat(folder, name, 0) == 0 ? 0 : errno;
}

Descriptor unnamed_file(int folder) {
#ifdef O_TMPFILE
  static const bool can_be_linked = ::access("/proc/self/fd", X_OK) == 0;
  if (!can_be_linked) return Descriptor();
  constexpr mode_t everyone = 0666;  // less the umask
  return Descriptor(::openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, everyone));
#else
  return Descriptor();
#endif
}

int link_unnamed(int file, int folder, const char* name) {
  const std::string magic = "/proc/self/fd/" + std::to_string(file);
  if (::linkat(AT_FDCWD, magic.c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0) return 0;
  return errno;
}

Descriptor scratch_file() {
#ifdef MFD_CLOEXEC
  return Descriptor(::memfd_create("notesdb", MFD_CLOEXEC));
#else
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return Descriptor();
  Descriptor scratch(::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0));
  std::fclose(file);
  return scratch;
#endif
}

int take_read_lease(int file) {
#ifdef F_SETLEASE
  // The kernel tells of a break by a signal. We look instead (holds_read_lease), so it is one that
  // programs ignore by default; the usual SIGIO would end the process.
  if (::fcntl(file, F_SETSIG, SIGURG) == 0 && ::fcntl(file, F_SETLEASE, F_RDLCK) == 0) return 0;
  return errno == EAGAIN ? EAGAIN : ENOTSUP;
#else
  return ENOTSUP;
#endif
}

bool holds_read_lease(int file) {
#ifdef F_GETLEASE
  return ::fcntl(file, F_GETLEASE) == F_RDLCK;
#else
  return false;
#endif
}

int sync_file(int file) {
#ifdef F_FULLFSYNC
  if (::fcntl(file, F_FULLFSYNC) == 0) return 0;  // fsync does not reach the platter on macOS
#endif
  while (::fsync(file) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int sync_folder(int folder) {
  const int error = sync_file(folder);
  return means_unsupported(error) ? 0 : error;  // file systems without folder sync have none to do
}

int sync_file_system(int file) {
#ifdef __linux__
  return ::syncfs(file) == 0 ? 0 : errno;
#else
  return ENOTSUP;
#endif
}

bool is_local(int folder) {
#ifdef __linux__
  // linux/magic.h, and zfs and bcachefs.
  constexpr std::uint64_t magics[] = {0xEF53,
                                      0x58465342,
                                      0x9123683E,
                                      0x01021994,
                                      0x794C7630,
                                      0xF2F52010,
                                      0x2FC12FC1,
                                      0xCA451A4E,
                                      0x858458F6,
                                      0x4D44,
                                      0x2011BAB0,
                                      0x7366746E,
                                      0x3153464A,
                                      0x52654973};
  struct statfs status {};
  if (::fstatfs(folder, &status) != 0) return false;
  const auto magic = static_cast<std::uint64_t>(status.f_type) & 0xFFFFFFFFU;
  return std::find(std::begin(magics), std::end(magics), magic) != std::end(magics);
#else
  return false;
#endif
}

void own_descriptor_table() {
#ifdef CLONE_FILES
  // Refused in some sandboxes, where it is only slower.
  if (::unshare(CLONE_FILES) != 0) return;
#endif
}

}  // namespace notesdb::kernel

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
