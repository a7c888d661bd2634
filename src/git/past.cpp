#include "git/past.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "database/cache_place.h"
#include "git/commit_files.h"

namespace notesdb {

namespace {

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
