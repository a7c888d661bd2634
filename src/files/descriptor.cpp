#include "files/descriptor.h"

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace notesdb {

int Descriptor::release() {
  return std::exchange(file_, -1);
}

void Descriptor::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

int write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int read_whole(int file, std::uint64_t most, std::string& bytes, std::uint64_t expected) {
  std::size_t length = 0;
  // Growing a string fills it with zeros, so it grows to what is needed and no further.
  bytes.resize(std::min(expected, most) + 1);
  while (length < most) {
    if (length == bytes.size()) bytes.resize(bytes.size() * 2);
    const std::size_t room = std::min<std::uint64_t>(bytes.size() - length, most - length);
    const ssize_t got = ::pread(file, bytes.data() + length, room, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
    if (length == expected && length < bytes.size()) break;  // shorter than asked for: the end
  }
  bytes.resize(length);
  return 0;
}

FileStat to_file_stat(const struct stat& status) {
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  FileStat result;
  if (S_ISREG(status.st_mode)) {
    result.kind = FileKind::regular;
  } else if (S_ISDIR(status.st_mode)) {
    result.kind = FileKind::folder;
  } else if (S_ISLNK(status.st_mode)) {
    result.kind = FileKind::link;
  } else {
    result.kind = FileKind::other;
  }
  result.key.size = static_cast<std::uint64_t>(status.st_size);
  result.key.mtime_ns = status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec;
  result.key.ctime_ns = status.st_ctim.tv_sec * nanoseconds + status.st_ctim.tv_nsec;
  result.key.inode = status.st_ino;
  result.key.device = status.st_dev;
  return result;
}

}  // namespace notesdb
