#include "git/killed_merge.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/kernel.h"
#include "files/names.h"

namespace notesdb {

namespace {

constexpr const char* mark_name = "notesdb-merging";

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// A file's bytes, found through no link; none where there is no such regular file.
std::optional<std::string> bytes_in(const Descriptor& folder, const std::string& path) {
  const Descriptor file = kernel::open_to_read_beneath(folder.get(), path.c_str());
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string bytes;
  if (read_whole(file.get(), static_cast<std::uint64_t>(status.st_size), bytes) != 0)
    return std::nullopt;
  return bytes;
}

bool is_emptied(const Descriptor& root, const FileChange& change) {
  if (change.status != 'M') return false;
  const Descriptor file = kernel::open_to_read_beneath(root.get(), change.path.c_str());
  struct stat status {};
  return file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size == 0;
}

// Through no link to a folder, which would lead to somebody else's file.
void remove_in(const Descriptor& root, const std::string& path) {
  const std::string folder(folder_of(path));
  const Descriptor parent =
      kernel::open_beneath(root.get(), folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent) ::unlinkat(parent.get(), std::string(name_in(path)).c_str(), 0);
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
Result<Objects> objects_of_merge(const Repository& repository,
                                 const std::string& other,
                                 const std::string& tree) {
  Objects objects;
  if (!tree.empty()) {
    if (Result<void> added = add_objects(repository, tree, objects); !added) return added.error();
  }
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
  const Descriptor root = open_folder(repository.root());
  for (const FileChange& change : *changes)
    work[change.path] = bytes_in(root, change.path);
  return work;
}

// What a killed merge of `other` into HEAD has written here, whole or in part: files that it took
// away, and those that begin as what it may write does. The merge makes all of it again.
Result<std::vector<std::string>> written_by_merge(const Repository& repository,
                                                  const std::string& other,
                                                  const std::string& tree) {
  Result<Objects> objects = objects_of_merge(repository, other, tree);
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
  const Descriptor root = open_folder(repository.root());
  for (const std::string& path : paths) {
    if (known.contains(path)) {
      words.push_back(path);
    } else {
      remove_in(root, path);
    }
  }
  if (words.size() == none) return {};
  Result<std::string> done = repository.change(words);
  return done ? Result<void>() : done.error();
}

}  // namespace

MergeMark::MergeMark(const Repository& repository,
                     const std::string& other,
                     const std::string& tree)
    : folder_(open_folder(repository.own_folder())) {
  ::unlinkat(folder_.get(), mark_name, 0);  // of a merge before, or a link that somebody left
  constexpr mode_t mine_alone = 0600;
  const Descriptor mark(::openat(
      folder_.get(), mark_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mine_alone));
  if (mark)
    write_whole(mark.get(), repository.head().value_or("") + "\n" + other + "\n" + tree + "\n");
}

MergeMark::~MergeMark() {
  ::unlinkat(folder_.get(), mark_name, 0);
}

Result<std::vector<std::string>> put_back_after_kill(const Repository& repository) {
  const Descriptor folder = open_folder(repository.own_folder());
  std::istringstream file(bytes_in(folder, mark_name).value_or(""));
  std::string begun_at;
  std::string other;
  if (!std::getline(file, begun_at)) return std::vector<std::string>{};
  const bool is_merged = std::filesystem::exists(repository.own_folder() + "/MERGE_HEAD");
  std::vector<std::string> paths;
  if (!is_merged && begun_at == repository.head().value_or("") && std::getline(file, other)) {
    std::string tree;
    std::getline(file, tree);
    Result<std::vector<std::string>> written = written_by_merge(repository, other, tree);
    if (!written) return written;
    paths = *std::move(written);
  }
  if (!paths.empty()) {
    if (Result<void> done = put_back(repository, paths); !done) return done.error();
  }
  ::unlinkat(folder.get(), mark_name, 0);
  return paths;
}

Result<void> refuse_emptied_files(const Repository& repository) {
  Result<std::vector<FileChange>> changes = repository.changes_since_head();
  if (!changes) return changes.error();
  const Descriptor root = open_folder(repository.root());
  const auto emptied = std::ranges::find_if(
      *changes, [&](const FileChange& change) { return is_emptied(root, change); });
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
