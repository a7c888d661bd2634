#include "git/past.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "git/commit_files.h"

namespace notesdb {

namespace {

constexpr std::size_t most_kept = 4;

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
    if (kept_.size() > most_kept) kept_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::vector<Kept> kept_;
};

Shelf& shelf() {
  static Shelf shelf;
  return shelf;
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
  auto remember =
      settings.cache.value ? CommitFiles::Remember::on_disk : CommitFiles::Remember::in_memory;
  Result<std::unique_ptr<CommitFiles>> files = CommitFiles::open(*repository, *commit, remember);
  if (!files) return files.error();
  settings.read_only.value = true;
  auto past = std::make_shared<Workspace>(*std::move(files), settings);
  shelf().put({root, *commit, past});
  return past;
}

}  // namespace notesdb
