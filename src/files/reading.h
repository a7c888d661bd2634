// Reading a file that other programs may be writing.
#pragma once

#include <cstdint>
#include <memory>
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

// Reads the open file to its end, with a look before and one after. If it changes meanwhile it is
// read again after 1, 4 and 16 ms; if it still moves then, the last bytes are given as
// being_written.
FileReading read_settled(int file, std::uint64_t cap, std::string& bytes);

// Whether a name, given to be found in one folder, is one: a slash could lead through a link.
bool is_bare(const char* name);

// Reads many files, one after the other, into the same memory.
//
// Nearly all of them have rested for long. Where stamps are of this machine's clock one look, after
// the bytes were taken, shows that: a change while they were taken would bear a stamp of now. Files
// that are read because they were touched are looked at before, too. Whatever is not proven so, or
// has another size than its bytes, is read again by read_settled.
class PassReader {
 public:
  enum class Expects { rested_files, touched_files };
  // `folder`: where the files lie.
  PassReader(int folder, Expects expects);
  FileReading read(int file, std::uint64_t cap);
  // Of the last file read.
  std::string_view bytes() const { return bytes_; }

 private:
  bool is_at_rest(int file, const StatKey& before, FileReading& reading) const;

  bool trusts_stamps_;
  Expects expects_;
  std::int64_t begun_at_;
  std::unique_ptr<char[]> buffer_;  // for files that are not long
  std::string settled_;             // for the others
  std::string_view bytes_;
};

// What a reading is to somebody who asked for the file at `path`.
Result<FileBytes> to_file_bytes(const FileReading& reading,
                                std::string bytes,
                                std::string_view path,
                                std::uint64_t cap);

}  // namespace notesdb
