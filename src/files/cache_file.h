// Cache files: what only saves time, outside the workspace, under $XDG_CACHE_HOME/notesdb.
//
// Nothing here is ever needed: a file that is missing, cannot be read or cannot be written is no
// error, and may be deleted at any moment. Files are replaced whole by a rename, so that a reader
// has one version or another; they are not synced, so whoever reads one must check its bytes.
// What stands in them comes from notes, so only their owner may read them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/etag.h"

namespace notesdb {

// The bytes of a file, mapped. They may be changed: changes stay in this process, page by page.
class MappedFile {
 public:
  // A null pointer if there is no such regular file of this user.
  static std::shared_ptr<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<char> bytes() const { return bytes_; }
  // The etag of all bytes from `begin` on, while none was changed. What is read of a large file for
  // this alone does not stay in memory.
  Etag etag_from(std::size_t begin) const;
  // Lets go of the memory of bytes that were gone through, if the file is large: touched again they
  // are read from it again, so no page of them may have been changed. What lies elsewhere stays.
  void give_back(std::span<const char> part) const;

 private:
  explicit MappedFile(std::span<char> bytes) : bytes_(bytes) {}
  std::span<char> bytes_;
};

// Replaces the file by the parts, one after the other; makes its folder. Whether it did.
bool write_cache_file(const std::string& path, std::span<const std::string_view> parts);

}  // namespace notesdb
