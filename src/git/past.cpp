#include "git/past.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "database/cache_place.h"
#include "files/etag.h"
#include "files/file_system.h"
#include "files/names.h"
#include "git/repository.h"

namespace notesdb {

namespace {

// CommitFiles: the files of a workspace as they were in one commit, asked like a disk.
//
// So the same code answers from the past as from today: schemas, rows, tables. The names come from
// the commit's tree at once; bytes come from git's objects, those that are asked for together in
// one run of git.
//
// A file's time is that of the commit, and its inode number is made of its object's id, so that an
// index of rows knows a file again. Nothing can be written: every change is read_only.
class CommitFiles : public FileSystem {
 public:
  // Fails with invalid_argument where the workspace did not exist in that commit.
  static Result<std::unique_ptr<CommitFiles>> open(const Repository& repository,
                                                   const std::string& commit);

  Result<std::vector<Entry>> list(std::string_view folder) const override;
  Result<FileStat> stat(std::string_view path) const override;
  Result<void> stat_all(std::string_view folder,
                        std::span<const char* const> names,
                        std::span<FileStat> out) const override;
  Result<FileBytes> read(std::string_view path, std::uint64_t cap = max_file) const override;
  Result<void> read_all(std::string_view folder,
                        std::span<const char* const> names,
                        const std::function<void(const FileView&)>& take) const override;
  Result<HeldLock> lock() override;
  Result<void> recover() override { return {}; }
  Result<Written> apply(const std::vector<Step>& steps, std::string_view what = {}) override;
  Result<void> past_changes(const std::function<bool(PastChange&)>& take) const override;
  Result<FileBytes> read_kept(std::string_view file) const override;
  Result<std::vector<Step>> undo_steps(std::string_view change) const override;

 private:
  struct Node {
    FileKind kind = FileKind::missing;
    std::string id;  // of its object
  };
  using Folder = std::map<std::string, Node, std::less<>>;

  explicit CommitFiles(Repository repository) : repository_(std::move(repository)) {}
  void add(const TreeEntry& entry);
  const Folder* find_folder(std::string_view folder) const;
  const Node* find(std::string_view path) const;
  FileStat stat_of(const Node& node) const;

  Repository repository_;
  std::int64_t time_ns_ = 0;
  std::map<std::string, Folder, std::less<>> folders_;
};

FileKind kind_of(std::string_view mode) {
  if (mode == "040000") return FileKind::folder;
  if (mode == "120000") return FileKind::link;
  return mode.starts_with("100") ? FileKind::regular : FileKind::other;
}

Error not_there(std::string_view path) {
  return {ErrorCode::unknown_row, std::string(path) + " was not there in that commit", Map{}};
}

Error is_past() {
  return {
      ErrorCode::read_only, "the past cannot be changed; write to the workspace of today", Map{}};
}

std::uint64_t number_of(std::string_view id) {
  constexpr std::size_t digits = 15;
  constexpr int hexadecimal = 16;
  std::uint64_t number = 0;
  std::string_view head = id.substr(0, digits);
  std::from_chars(head.data(), head.data() + head.size(), number, hexadecimal);
  return number;
}

Result<std::unique_ptr<CommitFiles>> CommitFiles::open(const Repository& repository,
                                                       const std::string& commit) {
  Result<std::vector<TreeEntry>> entries = repository.tree_of(commit);
  if (!entries) return entries.error();
  if (entries->empty()) {
    return Error{ErrorCode::invalid_argument, "the workspace was empty in commit " + commit, Map{}};
  }
  Result<std::string> time = repository.ask({"log", "-1", "--format=%ct", commit});
  if (!time) return time.error();
  std::unique_ptr<CommitFiles> files(new CommitFiles(repository));
  std::int64_t seconds = 0;
  std::from_chars(time->data(), time->data() + time->size(), seconds);
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  files->time_ns_ = seconds * nanoseconds;
  files->folders_["."];
  for (const TreeEntry& entry : *entries)
    files->add(entry);
  return files;
}

void CommitFiles::add(const TreeEntry& entry) {
  Node node{kind_of(entry.mode), entry.id};
  if (node.kind == FileKind::folder) folders_[entry.path];
  folders_[std::string(folder_of(entry.path))].emplace(name_in(entry.path), std::move(node));
}

const CommitFiles::Folder* CommitFiles::find_folder(std::string_view folder) const {
  auto found = folders_.find(folder);
  return found == folders_.end() ? nullptr : &found->second;
}

const CommitFiles::Node* CommitFiles::find(std::string_view path) const {
  const Folder* folder = find_folder(folder_of(path));
  if (folder == nullptr) return nullptr;
  auto found = folder->find(name_in(path));
  return found == folder->end() ? nullptr : &found->second;
}

FileStat CommitFiles::stat_of(const Node& node) const {
  return {node.kind, {0, time_ns_, time_ns_, number_of(node.id), 0}};
}

Result<std::vector<Entry>> CommitFiles::list(std::string_view folder) const {
  const Folder* found = find_folder(folder);
  if (found == nullptr) return not_there(folder);
  std::vector<Entry> entries;
  entries.reserve(found->size());
  for (const auto& [name, node] : *found)
    entries.push_back({name, node.kind});
  return entries;
}

Result<FileStat> CommitFiles::stat(std::string_view path) const {
  if (path == ".") return FileStat{FileKind::folder, {}};
  const Node* node = find(path);
  return node == nullptr ? FileStat{} : stat_of(*node);
}

Result<void> CommitFiles::stat_all(std::string_view folder,
                                   std::span<const char* const> names,
                                   std::span<FileStat> out) const {
  const Folder* found = find_folder(folder);
  if (found == nullptr) return not_there(folder);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto node = found->find(std::string_view(names[i]));
    out[i] = node == found->end() ? FileStat{} : stat_of(node->second);
  }
  return {};
}

Result<FileBytes> CommitFiles::read(std::string_view path, std::uint64_t cap) const {
  const Node* node = find(path);
  if (node == nullptr) return not_there(path);
  if (node->kind != FileKind::regular) {
    return Error{ErrorCode::path_not_allowed, std::string(path) + " is no regular file", Map{}};
  }
  Result<std::vector<std::string>> bytes = repository_.read_objects({node->id});
  if (!bytes) return bytes.error();
  if (bytes->front().size() > cap) {
    return Error{ErrorCode::limit_exceeded, std::string(path) + " is too large to be read", Map{}};
  }
  FileBytes file{std::move(bytes->front()), {}, stat_of(*node).key};
  file.etag = etag_of(file.bytes);
  return file;
}

Result<void> CommitFiles::read_all(std::string_view folder,
                                   std::span<const char* const> names,
                                   const std::function<void(const FileView&)>& take) const {
  const Folder* here = find_folder(folder);
  if (here == nullptr) return not_there(folder);
  std::vector<const Node*> nodes;
  std::vector<std::string> ids;
  for (const char* name : names) {
    auto found = here->find(std::string_view(name));
    bool is_file = found != here->end() && found->second.kind == FileKind::regular;
    nodes.push_back(is_file ? &found->second : nullptr);
    if (is_file) ids.push_back(found->second.id);
  }
  Result<std::vector<std::string>> objects = repository_.read_objects(ids);
  if (!objects) return objects.error();
  std::vector<std::size_t> object_of(nodes.size());
  for (std::size_t i = 0, next = 0; i < nodes.size(); ++i)
    object_of[i] = nodes[i] == nullptr ? 0 : next++;
  auto take_part = [&](std::size_t worker, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      FileView view;
      view.index = i;
      view.worker = worker;
      view.state = nodes[i] == nullptr ? ReadState::missing : ReadState::whole;
      if (view.state == ReadState::whole) {
        view.bytes = (*objects)[object_of[i]];
        view.etag = etag_of(view.bytes);
        view.key = stat_of(*nodes[i]).key;
        if (view.bytes.size() > max_file) view.state = ReadState::too_large;
      }
      take(view);
    }
  };
  constexpr std::size_t worth_two = 512;
  if (names.size() < worth_two) {
    take_part(0, 0, names.size());
    return {};
  }
  constexpr std::size_t part = worth_two / 4;
  std::atomic<std::size_t> next{0};
  const auto run = [&](std::size_t worker) {
    for (std::size_t at = next.fetch_add(part); at < names.size(); at = next.fetch_add(part))
      take_part(worker, at, std::min(at + part, names.size()));
  };
  Beside second([&] { run(1); });
  run(0);
  second.join();
  return {};
}

Result<HeldLock> CommitFiles::lock() {
  return is_past();
}

Result<Written> CommitFiles::apply(const std::vector<Step>& /*steps*/, std::string_view /*what*/) {
  return is_past();
}

Result<void> CommitFiles::past_changes(const std::function<bool(PastChange&)>& /*take*/) const {
  return {};
}

Result<FileBytes> CommitFiles::read_kept(std::string_view /*file*/) const {
  return is_past();
}

Result<std::vector<Step>> CommitFiles::undo_steps(std::string_view /*change*/) const {
  return is_past();
}

constexpr std::size_t max_kept = 4;         // in memory
constexpr std::size_t max_remembered = 32;  // on the disk

struct Kept {
  std::string root;
  std::string commit;
  std::shared_ptr<Workspace> workspace;
};

// The workspaces asked for last, newest first.
class Shelf {
 public:
  std::shared_ptr<Workspace> find(const std::string& root, const std::string& commit) {
    const std::lock_guard guard(mutex_);
    auto found = std::ranges::find_if(
        kept_, [&](const Kept& kept) { return kept.root == root && kept.commit == commit; });
    if (found == kept_.end()) return nullptr;
    std::rotate(kept_.begin(), found, found + 1);
    return kept_.front().workspace;
  }

  void put(Kept kept) {
    const std::lock_guard guard(mutex_);
    kept_.insert(kept_.begin(), std::move(kept));
    if (kept_.size() > max_kept) kept_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::vector<Kept> kept_;
};

Shelf& shelf() {
  static Shelf shelf;
  return shelf;
}

// An index of rows of each commit that was asked is remembered; the oldest go when there are many.
void keep_few(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    entries.emplace_back(entry.last_write_time(failed), entry.path());
  if (entries.size() < max_remembered) return;
  std::ranges::sort(entries);
  for (std::size_t i = 0; i + max_remembered <= entries.size(); ++i)
    fs::remove_all(entries[i].second, failed);
}

}  // namespace

Result<std::shared_ptr<Workspace>> past_workspace(const Workspace& workspace,
                                                  std::string_view revision) {
  Settings settings = workspace.settings();
  const std::string& root = settings.root.value;
  Result<Repository> repository = Repository::around(root);
  if (!repository) return repository.error();
  Result<std::string> commit = repository->commit_of(revision);
  if (!commit) return commit.error();
  if (std::shared_ptr<Workspace> known = shelf().find(root, *commit)) return known;
  Result<std::unique_ptr<CommitFiles>> files = CommitFiles::open(*repository, *commit);
  if (!files) return files.error();
  settings.read_only.value = true;
  if (const std::string place = cache_place(settings); !place.empty()) {
    settings.cache_folder = place + "/past";
    keep_few(settings.cache_folder);
    settings.cache_folder += "/" + *commit;
  }
  auto past = std::make_shared<Workspace>(*std::move(files), settings);
  shelf().put({root, *commit, past});
  return past;
}

}  // namespace notesdb
