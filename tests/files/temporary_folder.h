// TemporaryFolder: an empty folder for one test, on the disk that TMPDIR or the build is on.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "files/disk.h"

namespace notesdb {

class TemporaryFolder {
 public:
  TemporaryFolder() : TemporaryFolder(usual_base()) {}
  // For what must not lie in a repository, as the build may.
  explicit TemporaryFolder(const std::string& base) {
    std::string pattern = base + "/files-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

  void put(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  std::string get(const std::string& name) const {
    std::ostringstream bytes;
    bytes << std::ifstream(at(name), std::ios::binary).rdbuf();
    return bytes.str();
  }
  bool has(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(name)));
  }

  // Every file outside `.notesdb` with its bytes: two are equal when nothing was changed.
  std::map<std::string, std::string> picture() const {
    std::map<std::string, std::string> files;
    for (auto entry = std::filesystem::recursive_directory_iterator(path_);
         entry != std::filesystem::recursive_directory_iterator();
         ++entry) {
      const std::string name = entry->path().lexically_relative(path_);
      if (name == ".notesdb") {
        entry.disable_recursion_pending();
      } else {
        files[name] = entry->is_regular_file() && !entry->is_symlink() ? get(name) : "";
      }
    }
    return files;
  }

  std::unique_ptr<Disk> open() const {
    Result<std::unique_ptr<Disk>> disk = Disk::open(path_);
    return std::move(*disk);
  }

 private:
  static std::string usual_base() {
    const char* base = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    return base != nullptr ? base : NOTESDB_BINARY_DIR;
  }

  std::string path_;
};

// The word of the store in a folder (files/store.h).
inline std::string word_in(const TemporaryFolder& folder) {
  return folder.get(".notesdb/owner").substr(0, 32);
}

}  // namespace notesdb
