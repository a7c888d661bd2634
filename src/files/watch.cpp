#include "files/watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#include <sys/stat.h>
#endif

#include "files/failure.h"
#include "files/kernel.h"

namespace notesdb {

#ifdef __linux__

namespace {

// The leanest mask that misses nothing: each saves events in a queue that holds 16,384.
constexpr std::uint32_t interesting = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                                      IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                                      IN_MOVE_SELF | IN_ONLYDIR;
// Those that say of a name no more than that it was touched.
constexpr std::uint32_t of_saves = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;

}  // namespace

Watch::Watch(const Root& root) : root_(root), queue_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

Result<StatKey> Watch::add(std::string_view folder) {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return failure(errno, "watch", folder);
  if (!kernel::is_local(opened->get())) return failure(ENOTSUP, "watch", folder);
  // The descriptor's own path: the kernel has no call that takes the descriptor itself, and the
  // path that the caller gave could lead elsewhere by now.
  const std::string magic = "/proc/self/fd/" + std::to_string(opened->get());
  const int watch = ::inotify_add_watch(queue_.get(), magic.c_str(), interesting);
  if (watch < 0 && errno == ENOSPC) {
    return Error{ErrorCode::limit_exceeded, "the system allows no more watched folders"};
  }
  if (watch < 0) return failure(errno, "watch", folder);
  folders_[watch] = folder;
  return to_file_stat(status).key;
}

void Watch::remove(std::string_view folder) {
  const auto found = std::find_if(folders_.begin(), folders_.end(), [&](const auto& watched) {
    return watched.second == folder;
  });
  if (found == folders_.end()) return;
  ::inotify_rm_watch(queue_.get(), found->first);
  folders_.erase(found);
}

void Watch::note(int watch, std::string_view name, std::uint32_t what, Changes& changes) {
  if ((what & IN_Q_OVERFLOW) != 0) changes.overflow = true;
  const auto found = folders_.find(watch);
  if (found == folders_.end()) return;
  const bool gone = (what & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0;
  changes.names.insert({found->second, gone ? std::string() : std::string(name)});
  if ((what & IN_MOVE_SELF) != 0) ::inotify_rm_watch(queue_.get(), watch);
  if (gone) folders_.erase(found);
}

Changes Watch::drain() {
  constexpr std::size_t room = std::size_t{4} << 10U;  // it is cleared before every question
  constexpr std::size_t largest = sizeof(inotify_event) + NAME_MAX + 1;
  alignas(inotify_event) std::array<char, room> buffer{};
  Changes changes;
  while (true) {
    const ssize_t got = ::read(queue_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return changes;
    inotify_event last{};
    std::string_view last_name;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* bytes = buffer.data() + at + sizeof event;
      const std::string_view name(bytes, ::strnlen(bytes, event.len));
      // A save is several events in a row, of which the first tells all.
      const bool is_told =
          (event.mask & ~of_saves) == 0 && event.wd == last.wd && name == last_name;
      if (!is_told) note(event.wd, name, event.mask, changes);
      last = event;
      last_name = name;
      at += sizeof event + event.len;
    }
    // The kernel stops short of a full buffer only where it has no more.
    if (static_cast<std::size_t>(got) + largest <= room) return changes;
  }
}

#else

Watch::Watch(const Root& root) : root_(root) {}

Result<StatKey> Watch::add(std::string_view folder) {
  return failure(ENOTSUP, "watch", folder);
}

void Watch::remove(std::string_view) {}

void Watch::note(int, std::string_view, std::uint32_t, Changes&) {}

Changes Watch::drain() {
  return {};
}

#endif

}  // namespace notesdb
