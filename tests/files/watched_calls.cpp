#include "files/watched_calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace notesdb {
namespace {

std::atomic<WatchedCalls*> watching = nullptr;

// "file in tasks" or "folder tasks".
std::string name_of_open(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  std::string name(path.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  struct stat status {};
  const bool is_folder = ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_folder) name.resize(std::min(name.rfind('/'), name.size()));
  return (is_folder ? "folder " : "file in ") + name.substr(name.rfind('/') + 1);
}

}  // namespace

WatchedCalls::WatchedCalls() {
  watching = this;
}

WatchedCalls::~WatchedCalls() {
  watching = nullptr;
}

WatchedCalls* WatchedCalls::now() {
  return watching;
}

void WatchedCalls::at(const std::string& call, int nth, std::function<void()> action) {
  actions_[{call, nth}] = std::move(action);
}

void WatchedCalls::refuse(const std::string& call, int error, int times) {
  refusals_[call] = {error, times};
}

int WatchedCalls::count(const std::string& call) const {
  return static_cast<int>(std::count(log_.begin(), log_.end(), call));
}

bool WatchedCalls::in_order(const std::vector<std::string>& calls) const {
  auto from = log_.begin();
  for (const std::string& call : calls) {
    from = std::find(from, log_.end(), call);
    if (from == log_.end()) return false;
    ++from;
  }
  return true;
}

int WatchedCalls::tell(const std::string& call) {
  log_.push_back(call);
  const auto action = actions_.find({call, count(call)});
  if (action != actions_.end()) {
    // What the action itself asks of the kernel is not ours.
    WatchedCalls* self = watching.exchange(nullptr);
    action->second();
    watching = self;
  }
  const auto refusal = refusals_.find(call);
  if (refusal == refusals_.end() || refusal->second.second-- <= 0) return 0;
  return refusal->second.first;
}

std::size_t WatchedCalls::shortened(std::size_t length) const {
  return halves_ ? (length + 1) / 2 : length;
}

namespace {

template <typename Call>
int watched(const std::string& name, const Call& call) {
  WatchedCalls* watch = WatchedCalls::now();
  if (const int error = watch == nullptr || name.empty() ? 0 : watch->tell(name)) {
    errno = error;
    return -1;
  }
  return static_cast<int>(call());
}

}  // namespace
}  // namespace notesdb

using notesdb::watched;
using notesdb::WatchedCalls;

extern "C" {

int fsync(int file) {
  const bool is_watched = WatchedCalls::now() != nullptr;
  return watched(is_watched ? "sync " + notesdb::name_of_open(file) : "",
                 [=] { return ::syscall(SYS_fsync, file); });
}

int syncfs(int file) noexcept {
  return watched("sync file system", [=] { return ::syscall(SYS_syncfs, file); });
}

int renameat2(
    int folder, const char* name, int new_folder, const char* new_name, unsigned flags) noexcept {
  return watched((flags & RENAME_EXCHANGE) != 0 ? "exchange" : "move", [=] {
    return ::syscall(SYS_renameat2, folder, name, new_folder, new_name, flags);
  });
}

int linkat(int folder, const char* name, int new_folder, const char* new_name, int flags) noexcept {
  return watched((flags & AT_SYMLINK_FOLLOW) != 0 ? "link" : "",
                 [=] { return ::syscall(SYS_linkat, folder, name, new_folder, new_name, flags); });
}

int flock(int file, int operation) noexcept {
  return watched((operation & LOCK_UN) != 0 ? "unlock" : "lock",
                 [=] { return ::syscall(SYS_flock, file, operation); });
}

ssize_t write(int file, const void* bytes, size_t length) {
  const WatchedCalls* watch = WatchedCalls::now();
  return ::syscall(SYS_write, file, bytes, watch == nullptr ? length : watch->shortened(length));
}

int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return watched(command == F_SETLEASE ? "lease" : "",
                 [=] { return ::syscall(SYS_fcntl, file, command, argument); });
}

}  // extern "C"
