// Reading a file that other programs may be writing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/descriptor.h"

namespace notesdb {

// One reading, into a buffer that is reused from file to file.
struct FileReading {
  ReadState state = ReadState::failed;
  int error = 0;  // errno, of failed
  StatKey key;
};

// Reads the open file to its end. If it changes meanwhile it is read again after 1, 4 and 16 ms;
// if it still moves then, the last bytes are given as being_written.
FileReading read_settled(int file, std::uint64_t cap, std::string& bytes);

// What a reading is to somebody who asked for the file at `path`.
Result<FileBytes> to_file_bytes(const FileReading& reading,
                                std::string bytes,
                                std::string_view path,
                                std::uint64_t cap);

}  // namespace notesdb
