#include "files/reading.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "core/number_text.h"
#include "core/number_text.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/file_system.h"
#include "files/kernel.h"

namespace notesdb {
namespace {

using std::chrono::milliseconds;

// A file up to this size is read with one call.
constexpr std::size_t shortly_read = std::size_t{64} << 10U;

// Once through: whole if nothing moved while it was read.
FileReading read_once(int file, std::uint64_t cap, std::string& bytes) {
  FileReading reading;
  struct stat before {};
  struct stat after {};
  if (::fstat(file, &before) != 0) {
    reading.error = errno;
    return reading;
  }
  const FileStat seen = to_file_stat(before);
  reading.key = seen.key;
  if (seen.kind != FileKind::regular) {
    reading.state = ReadState::not_regular;
    return reading;
  }
  if (seen.key.size > cap) {
    reading.state = ReadState::too_large;
    return reading;
  }
  reading.error = read_whole(file, cap + 1, bytes, seen.key.size);
  if (reading.error == 0 && ::fstat(file, &after) != 0) reading.error = errno;
  if (reading.error != 0) return reading;
  reading.key = to_file_stat(after).key;
  if (bytes.size() > cap) {
    reading.state = ReadState::too_large;
  } else if (reading.key == seen.key && bytes.size() == seen.key.size) {
    reading.state = ReadState::whole;
  } else {
    reading.state = ReadState::being_written;
  }
  return reading;
}

}  // namespace

FileReading read_settled(int file, std::uint64_t cap, std::string& bytes) {
  constexpr std::array<milliseconds, 3> pauses = {
      milliseconds(1), milliseconds(4), milliseconds(16)};
  FileReading reading = read_once(file, cap, bytes);
  for (const milliseconds pause : pauses) {
    if (reading.state != ReadState::being_written) break;
    std::this_thread::sleep_for(pause);
    reading = read_once(file, cap, bytes);
  }
  return reading;
}

bool is_bare(const char* name) {
  return *name != '\0' && std::strchr(name, '/') == nullptr && std::strcmp(name, "..") != 0;
}

PassReader::PassReader(int folder, Expects expects)
    : trusts_stamps_(kernel::is_local(folder)), expects_(expects), begun_at_(clock_ns()) {}

FileReading PassReader::read(int file, std::uint64_t cap) {
  FileReading reading;
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(shortly_read);
  struct stat before {};
  if (expects_ == Expects::touched_files && ::fstat(file, &before) != 0) before = {};
  // Of a pipe or a socket, pread takes nothing away.
  const ssize_t got = trusts_stamps_ ? ::pread(file, buffer_.get(), shortly_read, 0) : -1;
  bytes_ = std::string_view(buffer_.get(), got < 0 ? 0 : static_cast<std::size_t>(got));
  if (got < 0 || bytes_.size() > cap || !is_at_rest(file, to_file_stat(before).key, reading)) {
    reading = read_settled(file, cap, settled_);
    bytes_ = settled_;
  }
  return reading;
}

// Whether the bytes taken are the whole file, which nobody has touched since the pass began or
// since it was `before`.
bool PassReader::is_at_rest(int file, const StatKey& before, FileReading& reading) const {
  struct stat after {};
  if (::fstat(file, &after) != 0) return false;
  const FileStat seen = to_file_stat(after);
  reading.key = seen.key;
  reading.state = ReadState::whole;
  return seen.kind == FileKind::regular && seen.key.size == bytes_.size() &&
         (seen.key == before || is_sure(seen.key, begun_at_));
}

Result<FileBytes> to_file_bytes(const FileReading& reading,
                                std::string bytes,
                                std::string_view path,
                                std::uint64_t cap) {
  switch (reading.state) {
    case ReadState::whole:
    case ReadState::being_written: break;
    case ReadState::missing: return failure(ENOENT, "read", path);
    case ReadState::not_regular:
      return Error{ErrorCode::path_not_allowed, quoted(path) + " is not a regular file"};
    case ReadState::too_large:
      return Error{ErrorCode::limit_exceeded,
                   quoted(path) + " is too large; the limit is " + size_text(cap)};
    case ReadState::failed: return failure(reading.error, "read", path);
  }
  FileBytes file;
  file.etag = etag_of(bytes);
  file.bytes = std::move(bytes);
  file.key = reading.key;
  file.being_written = reading.state == ReadState::being_written;
  return file;
}

}  // namespace notesdb
