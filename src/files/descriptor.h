// Descriptor: an open file that closes itself.
//
// The calls beneath it answer with errno, 0 for success: the room turns it into words at the place
// that knows which file was meant (failure.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "files/file_system.h"

namespace notesdb {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(Descriptor&& other) noexcept : file_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      file_ = other.release();
    }
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return file_; }
  explicit operator bool() const { return file_ >= 0; }
  int release();
  void close();

 private:
  int file_ = -1;
};

// Writes all of it, however short the single writes are.
int write_whole(int file, std::string_view bytes);

// Reads from the start to the end, at most `most` bytes, into `bytes` (whose memory is reused). One
// call is enough where the file is as long as `expected`.
int read_whole(int file,
               std::uint64_t most,
               std::string& bytes,
               std::uint64_t expected = std::uint64_t{64} << 10U);

FileStat to_file_stat(const struct stat& status);

}  // namespace notesdb
