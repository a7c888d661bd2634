// What other programs do to the files of a database, at random but the same for every seed: files
// made, saved in place, replaced by a rename, renamed, deleted, saved with their old times put
// back, and saved twice within one tick of the clock; beside rows also what is not a row.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include "index/indexed_workspace.h"

namespace notesdb {

class OutsideEdits {
 public:
  OutsideEdits(std::filesystem::path folder, unsigned seed)
      : folder_(std::move(folder)), random_(seed) {}

  // One edit; some do nothing, since the file is not there.
  void edit() {
    const std::filesystem::path file = any_row();
    switch (below(14)) {
      case 0: std::filesystem::remove(file); break;
      case 1: rename(file, any_row()); break;
      case 2: rename(file, folder_ / ("made-" + std::to_string(below(30)) + ".md")); break;
      case 3:
      case 4: replace(file); break;
      case 5:
      case 6: save_with_old_times(file); break;
      case 7:
        save(file, row_bytes(any_number()));
        save(file, row_bytes(any_number()));
        break;
      case 8: save(file, "no front matter\n"); break;
      case 9: odd_name(); break;
      default: save(file, row_bytes(any_number()));
    }
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  int any_number() { return below(1000); }
  std::filesystem::path any_row() {
    return folder_ / ("row-" + std::to_string(below(row_count + 20)) + ".md");
  }
  static void save(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  static void rename(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code gone;
    std::filesystem::rename(from, to, gone);
  }
  void replace(const std::filesystem::path& file) {
    const auto beside = folder_ / ".saving";
    save(beside, row_bytes(any_number()));
    rename(beside, file);
  }
  void save_with_old_times(const std::filesystem::path& file) {
    struct stat before {};
    const bool was_there = ::stat(file.c_str(), &before) == 0;
    save(file, row_bytes(any_number()));
    const timespec times[] = {before.st_atim, before.st_mtim};
    if (was_there) ::utimensat(AT_FDCWD, file.c_str(), static_cast<const timespec*>(times), 0);
  }
  // Names that are no rows, or make two files of one id, or come and go as a whole folder.
  void odd_name() {
    const std::string number = std::to_string(below(20));
    const auto toggle = [&](const std::string& name, const std::string& bytes) {
      if (!std::filesystem::remove(folder_ / name)) save(folder_ / name, bytes);
    };
    switch (below(5)) {
      case 0: toggle("row-" + number + ".yaml", "title: second " + number + "\n"); break;
      case 1: toggle("row-1 (conflict " + number + ").md", "a copy\n"); break;
      case 2: toggle(".row-" + number + ".md.swp", "swap\n"); break;
      case 3: {
        const auto link = folder_ / ("link-" + number + ".md");
        if (!std::filesystem::remove(link)) std::filesystem::create_symlink("row-1.md", link);
        break;
      }
      default: {
        const auto below_it = folder_ / "below";
        if (std::filesystem::remove_all(below_it) == 0) std::filesystem::create_directory(below_it);
        save(below_it / "row.md", "no row here\n");
      }
    }
  }

  std::filesystem::path folder_;
  std::mt19937 random_;
};

}  // namespace notesdb
