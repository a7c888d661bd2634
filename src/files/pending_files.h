// PendingFiles: a file system in which changes are collected instead of made.
//
//   PendingFiles pending(disk);
//   ... whatever reads and changes files, told to work on `pending` ...
//   disk.apply(pending.steps());  // all of it or nothing
//
// Reading gives the files below with what is pending laid over them, so that the second of two
// changes sees the first. A file that was looked at is remembered as it was found, so that a
// thousand changes ask for it once, and steps() expect it so: what another program saves in between
// ends in conflict and is not overwritten.
//
// Nothing is locked and nothing is written here: whoever needs the lock takes it below. One
// thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/file_system.h"

namespace notesdb {

class PendingFiles : public FileSystem {
 public:
  // `below` must outlive it.
  explicit PendingFiles(FileSystem& below) : below_(below) {}

  Result<std::vector<Entry>> list(std::string_view folder) const override;
  Result<FileStat> stat(std::string_view path) const override;
  Result<void> stat_all(std::string_view folder,
                        std::span<const char* const> names,
                        std::span<FileStat> out) const override;
  Result<FileBytes> read(std::string_view path, std::uint64_t cap = max_file) const override;
  Result<void> read_all(std::string_view folder,
                        std::span<const char* const> names,
                        const std::function<void(const FileView&)>& take) const override;
  // Holds nothing.
  Result<HeldLock> lock() override { return HeldLock(); }
  Result<void> recover() override { return below_.recover(); }
  // Notes the steps; the answer has etags and no change.
  Result<Written> apply(const std::vector<Step>& steps, std::string_view what = {}) override;
  Result<void> past_changes(const std::function<bool(PastChange&)>& take) const override {
    return below_.past_changes(take);
  }
  std::string past_problem() const override { return below_.past_problem(); }
  Result<FileBytes> read_kept(std::string_view file) const override {
    return below_.read_kept(file);
  }
  Result<std::vector<Step>> undo_steps(std::string_view change) const override {
    return below_.undo_steps(change);
  }

  // The steps that make below what is pending here, each file once, in the order in which they were
  // first changed; what is removed comes last.
  std::vector<Step> steps() const;

  // A file that is not as it was: its bytes before and after, empty where it is not there.
  struct Difference {
    std::string path;
    std::optional<std::string> before;
    std::optional<std::string> after;
  };
  // In the order in which they were first changed.
  std::vector<Difference> differences() const;

 private:
  struct File {
    std::optional<std::string> before;
    Etag etag_before;
    std::optional<std::string> after;
    Etag etag;
    StatKey key_before;
    StatKey key;
    std::uint64_t first_save = 0;  // 0: as it was found
    std::string like;
    std::string like_kept;
  };

  const File* find(std::string_view path) const;
  File& remember(const std::string& path, FileBytes below) const;
  bool has_file_below(std::string_view folder) const;
  bool is_folder_here(std::string_view folder) const;
  Result<void> check(const Step& step) const;
  Result<void> check_expected(const Step& step) const;
  Result<void> check_free(std::string_view path, std::string_view model) const;
  // The record of a file, made from what lies below where there is none.
  Result<File*> touch(const std::string& path);
  Result<Etag> take(const Step& step);
  void put(File& file, std::string bytes);
  // Those that are not as they were found, oldest first.
  std::vector<std::pair<std::string, const File*>> changed() const;
  Result<Etag> move(const Step& step);

  FileSystem& below_;
  mutable std::map<std::string, File, std::less<>> files_;
  mutable std::map<std::string, FileStat, std::less<>> stats_;  // of what lies below
  std::vector<std::string> new_folders_;
  std::vector<std::string> left_folders_;
  std::uint64_t saves_ = 0;
};

}  // namespace notesdb
