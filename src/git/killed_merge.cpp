#include "git/killed_merge.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "files/names.h"

namespace notesdb {

namespace {

constexpr const char* mark_name = "/notesdb-merging";

std::string head_of(const Repository& repository) {
  Result<std::string> head = repository.ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  return head ? *head : std::string();
}

// The files of HEAD that are empty here and were not, and with `gone` those that are not here.
Result<std::vector<std::string>> cut_files(const Repository& repository, bool gone) {
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", "HEAD"});
  if (!changes) return changes.error();
  std::vector<std::string> paths;
  for (const FileChange& change : *changes) {
    std::error_code error;
    const auto size = std::filesystem::file_size(repository.root() + "/" + change.path, error);
    const bool is_emptied = change.status == 'M' && !error && size == 0;
    if (is_emptied || (gone && change.status == 'D')) paths.push_back(change.path);
  }
  return paths;
}

}  // namespace

MergeMark::MergeMark(const Repository& repository) : path_(repository.own_folder() + mark_name) {
  std::ofstream(path_) << head_of(repository);
}

MergeMark::~MergeMark() {
  std::remove(path_.c_str());
}

Result<std::vector<std::string>> put_back_after_kill(const Repository& repository) {
  const std::string mark = repository.own_folder() + mark_name;
  std::ifstream file(mark);
  std::string begun_at;
  if (!std::getline(file, begun_at)) return std::vector<std::string>{};
  const bool is_merged = std::filesystem::exists(repository.own_folder() + "/MERGE_HEAD");
  std::vector<std::string> paths;
  if (!is_merged && begun_at == head_of(repository)) {
    Result<std::vector<std::string>> cut = cut_files(repository, true);
    if (!cut) return cut;
    paths = *std::move(cut);
  }
  if (!paths.empty()) {
    Words words{"checkout", "--quiet", "HEAD", "--"};
    words.insert(words.end(), paths.begin(), paths.end());
    if (Result<std::string> done = repository.ask(words); !done) return done.error();
  }
  std::remove(mark.c_str());
  return paths;
}

Result<void> refuse_emptied_files(const Repository& repository) {
  if (head_of(repository).empty()) return {};
  Result<std::vector<std::string>> paths = cut_files(repository, false);
  if (!paths) return paths.error();
  if (paths->empty()) return {};
  const std::string& path = paths->front();
  return Error{ErrorCode::conflict,
               "'" + path + "' has been emptied, as a git that is killed leaves files; `git " +
                   "checkout HEAD -- " + path + "` puts it back, and a commit by hand says that " +
                   "it is meant",
               Map{{"path", path}}};
}

bool is_left_over(std::string_view path) {
  const std::string_view name = name_in(path);
  return name.starts_with(".merge_file_") || name.starts_with(".notesdb-");
}

}  // namespace notesdb
