// RowCache: what a Database remembers of its folder between two questions, and the proof that it
// still holds.
//
//   const ForgettingLock guard(cache);
//   auto folder = cache.folder();   // the schema as it is now
//   auto table = cache.rows();      // every file verified, what changed read again
//
// Each question verifies: the schema file by its stat key, the list of names by the stat keys of
// the folders, every row by its own. With the cache off everything is read again. The answers are
// the same.
//
// A process that stays follows its folders instead (follower.h): it drains what the kernel has
// noted, reads those files, and answers. It still looks at everything at the start, when the
// kernel's queue overflowed, when a folder was moved or replaced, and when the last look is nearly
// two seconds old, since some things are not noted: stores through a memory map, writes through a
// hard link elsewhere, a file system mounted over a folder. rescan() spreads that look over the time
// between questions. Folders that cannot be followed are looked at for every question.
//
// Between two processes an index file does the remembering (index_file.h). It is written when that
// pays: at first, and when many rows have changed or the folder's names have.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "index/database_folder.h"
#include "index/follower.h"
#include "index/row_table.h"

namespace notesdb {

// OneQuestion: as long as it lives, this thread verifies the rows of a database once, however often
// they are asked for. Only for what writes nothing; an answer is of some moment of its question.
class OneQuestion {
 public:
  using Clock = std::chrono::steady_clock;
  OneQuestion() : outer_(begun_) { begun_ = begun_.value_or(Clock::now()); }
  ~OneQuestion() { begun_ = outer_; }
  OneQuestion(const OneQuestion&) = delete;
  OneQuestion& operator=(const OneQuestion&) = delete;

  static bool has_seen(Clock::time_point look) { return begun_ && *begun_ <= look; }

 private:
  static thread_local constinit std::optional<Clock::time_point> begun_;
  std::optional<Clock::time_point> outer_;
};

class RowCache {
 public:
  // `index_path` is an absolute path outside the workspace; empty: no index file.
  // `root_key` tells workspaces apart. `follower`: none in a process that answers once and ends.
  struct Memory {
    bool remember = true;
    std::string index_path{};
    std::string root_key{};
    Follower* follower = nullptr;
  };
  RowCache(const FileSystem& files, std::string database_id, Memory memory);
  ~RowCache();
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  // To be held from folder() until the table is no longer looked at, or leased.
  std::mutex& mutex() { return mutex_; }
  // Of what was learnt nothing is left; for whoever holds the mutex.
  void forget();

  // The schema and names as they are now.
  Result<std::shared_ptr<const DatabaseFolder>> folder();
  // The rows as they are now, read through the folder that folder() gave last; it succeeded.
  Result<const RowTable*> rows();
  // The same for a question that computes without the mutex: a table that stays as it is, and
  // keeps no formulas of another day than that of `now`.
  Result<TableLease<RowTable>> lease(expression::Date now);
  // What is wrong with the names in the folder, as of the last rows().
  const std::vector<Issue>& listing_issues() const { return listing_issues_; }

  // The next part of a slow look at every file. Takes the mutex by itself and only for moments: no
  // question waits for what is looked at.
  void rescan();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Touch { nothing, row, names };

  Result<const RowTable*> look_at_all();
  Result<void> read_stale_rows();
  Result<const RowTable*> look_at_noted();
  void forget_rows();
  void make_exclusive();
  // row_cache_follow.cpp
  void note_changes();
  bool is_in_place();
  void note(const ChangedName& changed);
  Touch touch_of(const std::string& path) const;
  Result<void> follow_folders();
  Result<bool> follow_listed();
  void stop_following();
  struct SweptRows;
  std::optional<SweptRows> next_swept_rows();
  bool take_swept(const SweptRows& swept, const std::vector<std::string>& stale);
  void rescan_from_start();
  void rescan_from_before(std::uint32_t dropped);
  bool is_schema_unchanged() const;
  bool are_names_unchanged() const;
  Result<void> list();
  std::string index_key() const;
  void load_index();
  bool pays_to_save(bool names_changed) const;
  void save_index();

  const FileSystem& files_;
  std::string id_;
  Memory memory_;
  std::mutex mutex_;
  std::shared_ptr<const DatabaseFolder> folder_;
  bool schema_sure_ = false;
  std::shared_ptr<RowTable> table_;
  std::vector<RowListing::Folder> folders_;
  bool names_sure_ = false;
  std::vector<Issue> listing_issues_;
  bool is_saved_ = false;  // the index file holds the table, but for read_since_saved_ rows
  std::size_t read_since_saved_ = 0;

  bool is_following_ = false;    // every folder of folders_
  bool is_schema_noted_ = true;  // it may be another
  bool is_look_due_ = true;
  std::set<std::string> noted_;              // paths that were touched since they were read
  std::map<std::string, StatKey> followed_;  // which folder is watched, by path
  Clock::time_point last_look_;              // when it began
  Clock::time_point rescan_begun_;
  std::uint32_t next_swept_ = 0;
  std::uint64_t rescan_number_ = 0;  // what was begun under another number is of no use
};

}  // namespace notesdb
