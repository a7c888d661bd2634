#include "git/killed_merge.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
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

using Objects = std::multimap<std::string, std::string>;

// The objects that a tree has where HEAD has others, by path; empty for a file that it has not.
Result<void> add_objects(const Repository& repository, const std::string& tree, Objects& objects) {
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", "HEAD", tree});
  if (!changes) return changes.error();
  for (FileChange& change : *changes)
    objects.emplace(std::move(change.path),
                    change.status == 'D' ? std::string() : std::move(change.new_id));
  return {};
}

// What a merge of `other` into HEAD may write: its outcome, and for a while, where rows were
// renamed, what `other` has. A git that cannot merge apart from the work tree does not tell the
// outcome.
Result<Objects> objects_of_merge(const Repository& repository, const std::string& other) {
  Objects objects;
  if (Result<void> added = add_objects(repository, other, objects); !added) return added.error();
  Result<ProgramEnd> merged = repository.run({"merge-tree", "--write-tree", "HEAD", other});
  if (!merged || (merged->exit_code != 0 && merged->exit_code != 1)) return objects;
  const std::string outcome = merged->out.substr(0, merged->out.find('\n'));
  if (Result<void> added = add_objects(repository, outcome, objects); !added) return added.error();
  return objects;
}

// What the work tree holds that HEAD does not, by path: its bytes, or nothing where it holds none.
Result<std::map<std::string, std::optional<std::string>>> work_of(const Repository& repository) {
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", "HEAD"});
  if (!changes) return changes.error();
  Result<std::vector<std::string>> untracked = repository.untracked();
  if (!untracked) return untracked.error();
  for (const std::string& path : *untracked)
    changes->push_back({'A', path, path});
  std::map<std::string, std::optional<std::string>> work;
  for (const FileChange& change : *changes) {
    std::ifstream file(repository.root() + "/" + change.path, std::ios::binary);
    std::ostringstream bytes;
    if (file && file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
    work[change.path] = file.is_open() ? std::optional(bytes.str()) : std::nullopt;
  }
  return work;
}

// What a killed merge of `other` into HEAD has written here, whole or in part: files that it took
// away, and those that begin as what it may write does. The merge makes all of it again.
Result<std::vector<std::string>> written_by_merge(const Repository& repository,
                                                  const std::string& other) {
  Result<Objects> objects = objects_of_merge(repository, other);
  if (!objects) return objects.error();
  auto work = work_of(repository);
  if (!work) return work.error();
  std::set<std::string> paths;
  std::vector<std::string> begun;
  std::vector<std::string> ids;
  for (const auto& [path, id] : *objects) {
    const auto found = work->find(path);
    if (found == work->end()) continue;
    if (!found->second || found->second->empty()) {
      paths.insert(path);
    } else if (!id.empty()) {
      begun.push_back(path);
      ids.push_back(id);
    }
  }
  Result<std::vector<std::string>> wholes = repository.read_objects(ids);
  if (!wholes) return wholes.error();
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if ((*wholes)[i].starts_with(*work->at(begun[i]))) paths.insert(begun[i]);
  }
  return std::vector<std::string>(paths.begin(), paths.end());
}

// As HEAD has them: from it, or away.
Result<void> put_back(const Repository& repository, const std::vector<std::string>& paths) {
  Result<std::vector<TreeEntry>> tree = repository.tree_of("HEAD");
  if (!tree) return tree.error();
  std::set<std::string> known;
  for (TreeEntry& entry : *tree)
    known.insert(std::move(entry.path));
  Words words{"checkout", "--quiet", "HEAD", "--"};
  const std::size_t none = words.size();
  for (const std::string& path : paths) {
    if (known.contains(path)) {
      words.push_back(path);
    } else {
      std::remove((repository.root() + "/" + path).c_str());
    }
  }
  if (words.size() == none) return {};
  Result<std::string> done = repository.ask(words);
  return done ? Result<void>() : done.error();
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
    Result<std::vector<std::string>> written = written_by_merge(repository, other);
    if (!written) return written;
    paths = *std::move(written);
  }
  if (!paths.empty()) {
    if (Result<void> done = put_back(repository, paths); !done) return done.error();
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
