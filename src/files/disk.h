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
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "files/file_system.h"
#include "files/git_guard.h"
#include "files/journal_gc.h"
#include "files/root.h"
#include "files/store.h"

namespace notesdb {

// Whether the files read so far came from memory, by the time each of them took.
class Warmth {
 public:
  template <typename Read>
  auto time(const Read& read) {
    const auto begun = std::chrono::steady_clock::now();
    auto result = read();
    ++files_;
    // From memory it is 2 to 5 microseconds, from the fastest of disks 50 and more.
    if (std::chrono::steady_clock::now() - begun > std::chrono::microseconds(25)) ++slow_;
    return result;
  }
  // More than half were slow: one of them may just have met another program.
  bool is_cold() const { return slow_ * 2 > files_; }

 private:
  std::size_t files_ = 0;
  std::size_t slow_ = 0;
};

// Many threads that ask the disk for files which are about to be read.
//
// A file that is not in memory costs a wait for the disk, and two readers wait one after the other.
// A disk answers many requests in hardly more time than one, so others go ahead of the readers,
// open each file and have its bytes fetched. Nothing is read here, and nothing that goes wrong
// matters: the readers find the same files, only later.
//
//   Warmth warmth;
//   for (...) warmth.time([&] { read a file });  // a few of them
//   if (warmth.is_cold()) warming.emplace(folder, names of the others);
class Warming {
 public:
  // Bare names of files in an open folder; both must outlive the warming, which ends when all were
  // asked for or it is destroyed.
  Warming(int folder, std::span<const char* const> names);
  ~Warming();
  Warming(const Warming&) = delete;
  Warming& operator=(const Warming&) = delete;

 private:
  void run();

  int folder_;
  std::span<const char* const> names_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

class Change;
enum class Verdict;

// Whether a change of several files is between its first and its last one, by whatever process, and
// when the last one began or ended. What is read between two equal marks of none under way is of no
// half change.
struct ChangeMark {
  bool is_under_way = false;
  std::int64_t mtime_ns = 0;

  friend bool operator==(const ChangeMark&, const ChangeMark&) = default;
};

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
  ChangeMark change_mark() const;
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
  // A null pointer where it has yet to be made, or is gone.
  std::shared_ptr<Store> store_in_use();
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
