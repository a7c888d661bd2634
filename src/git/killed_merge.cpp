#include "git/killed_merge.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "files/names.h"

namespace notesdb {

namespace {

constexpr const char* mark_name = "/notesdb-merging";

std::string head_of(const Repository& repository) {
  Result<std::string> head = repository.ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  return head ? *head : std::string();
}

bool is_emptied(const Repository& repository, const FileChange& change) {
  std::error_code error;
  const auto size = std::filesystem::file_size(repository.root() + "/" + change.path, error);
  return change.status == 'M' && !error && size == 0;
}

// What the merge of `other` into HEAD had cut when it was killed.
Result<std::vector<std::string>> cut_by_merge(const Repository& repository,
                                              const std::string& other) {
  Result<std::vector<FileChange>> touched = repository.changes({"--no-renames", "HEAD", other});
  if (!touched) return touched.error();
  std::set<std::string> may_be_cut;
  for (FileChange& change : *touched)
    may_be_cut.insert(std::move(change.path));
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", "HEAD"});
  if (!changes) return changes.error();
  std::vector<std::string> paths;
  for (const FileChange& change : *changes) {
    const bool is_cut = change.status == 'D' || is_emptied(repository, change);
    if (is_cut && may_be_cut.contains(change.path)) paths.push_back(change.path);
  }
  return paths;
}

}  // namespace

MergeMark::MergeMark(const Repository& repository, const std::string& other)
    : path_(repository.own_folder() + mark_name) {
  std::ofstream(path_) << head_of(repository) << '\n' << other << '\n';
}

MergeMark::~MergeMark() {
  std::remove(path_.c_str());
}

Result<std::vector<std::string>> put_back_after_kill(const Repository& repository) {
  const std::string mark = repository.own_folder() + mark_name;
  std::ifstream file(mark);
  std::string begun_at;
  std::string other;
  if (!std::getline(file, begun_at)) return std::vector<std::string>{};
  const bool is_merged = std::filesystem::exists(repository.own_folder() + "/MERGE_HEAD");
  std::vector<std::string> paths;
  if (!is_merged && begun_at == head_of(repository) && std::getline(file, other)) {
    Result<std::vector<std::string>> cut = cut_by_merge(repository, other);
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
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", "HEAD"});
  if (!changes) return changes.error();
  const auto emptied = std::ranges::find_if(
      *changes, [&](const FileChange& change) { return is_emptied(repository, change); });
  if (emptied == changes->end()) return {};
  const std::string& path = emptied->path;
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
