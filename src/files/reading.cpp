#include "files/reading.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include <sys/stat.h>

#include "files/etag.h"
#include "files/failure.h"

namespace notesdb {
namespace {

using std::chrono::milliseconds;

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
                   quoted(path) + " is longer than the " + std::to_string(cap) +
                       " bytes that are read of one file"};
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
