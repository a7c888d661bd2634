// Disk: the FileSystem of a real folder, opened once and reached by descriptors from then on.
//
//   Result<std::unique_ptr<Disk>> disk = Disk::open("/home/me/notes");
//
// No text from a caller is ever joined to the root's path: every file is opened from the root's
// descriptor, by the kernel's own rule that the path stays beneath it and passes no symbolic link
// (openat2, or one component at a time where the kernel lacks it).
//
// Reading leaves no trace. The first change makes `.notesdb/` at the root, which git ignores by
// itself: lock, displaced/ (versions put aside, for undo) and intent/ (an unfinished change).
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "files/file_system.h"
#include "files/folder_cache.h"
#include "files/git_guard.h"
#include "files/journal_gc.h"
#include "files/root.h"
#include "files/store.h"

namespace notesdb {

class Change;
enum class Verdict;

class Disk : public FileSystem {
 public:
  // `root` is a path of the machine, from the command line or the settings, never from a caller of
  // a tool. Fails with invalid_argument if it is not a folder, io_error if it cannot be opened.
  static Result<std::unique_ptr<Disk>> open(const std::string& root);

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
  // Waits for nobody: while another holds the lock, it is his to finish.
  Result<void> recover() override;
  Result<Written> apply(const std::vector<Step>& steps, std::string_view what = {}) override;
  Result<void> past_changes(const std::function<bool(PastChange&)>& take) const override;
  std::string past_problem() const override;
  Result<FileBytes> read_kept(std::string_view file) const override;
  Result<std::vector<Step>> undo_steps(std::string_view change) const override;

  // How long and how much of what changes put aside is kept.
  void limit_trash(const TrashLimits& limits) { trash_ = limits; }
  // Forgets what the trash need not keep and removes what changes that never happened have left, as
  // far as that goes in so much time. Does nothing, at once, where a change has not shown that there
  // is something. True: nothing is left to do.
  bool tidy(std::chrono::milliseconds budget);

  const Root& root() const { return root_; }

 private:
  explicit Disk(Root root);

  // The store as it is now, made if missing.
  Result<std::shared_ptr<Store>> store();
  // The lock, once git is at rest in the repositories of all these folders. `store` is one that
  // was asked for a moment ago; should it have been deleted since, the lock is that of a new one.
  Result<HeldLock> lock_beside_git(const GitGuard::Folders& folders, Store& store);
  // Where kept versions are read from, and the word that their journal begins with.
  struct TrustedStore {
    Descriptor displaced;  // invalid where there is none that is ours
    std::string word;
    std::string why;  // it is not ours
  };
  TrustedStore trusted_store() const;
  // The lock that was got, once what a crash left half done is finished.
  Result<HeldLock> finish_under(Result<HeldLock> held, Store& ours);
  // Fails with limit_exceeded where nothing can be forgotten to make place for the change.
  Result<Verdict> find_place(const Change& change, const std::vector<Step>& steps, Store& store);
  // apply, from the lock on: all but Verdict::clear ask for another try.
  Result<Verdict> commit_once(Change& change,
                              const std::vector<Step>& steps,
                              Store& store,
                              const GitGuard::Folders& folders);

  Root root_;
  mutable FolderCache folders_;
  GitGuard git_;
  WorkspaceLock lock_;
  mutable std::mutex store_mutex_;
  std::shared_ptr<Store> store_;
  TrashLimits trash_;
  std::atomic<bool> is_gc_due_{false};
  std::atomic<bool> was_written_{false};  // since tidy() looked for what others have left
  std::mutex tidy_mutex_;
  std::unique_ptr<JournalGc> gc_;
};

}  // namespace notesdb
