// Folder: a workspace of a test on the disk: copied from a fixture, compared byte for byte.
//
// ScratchFolder makes one below the system's temporary folder and removes it when it goes. Tree is
// what a folder holds, free of time stamps; `.notesdb/` and git's own folder are no part of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace notesdb::driving {

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Relative path -> "file:" and bytes, "link:" and target, "folder" where it is empty, "other".
using Tree = std::map<std::string, std::string>;

Tree read_tree(const std::filesystem::path& folder);
// Both trees told apart for a person, with control characters shown; empty if they are the same.
std::string difference(const Tree& expected, const Tree& found);

std::string read_bytes(const std::filesystem::path& file);
// Makes the folders above it as well.
void write_bytes(const std::filesystem::path& file, const std::string& bytes);
// Copies what `from` holds into `to`, links as links. Nothing where `from` does not exist.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);
// The text with control characters, BOM and bytes beyond ASCII readable, for messages.
std::string visible(const std::string& bytes);

}  // namespace notesdb::driving
