// FileSystem: what notesdb asks of the disk: list, stat, read, and change files safely.
//
// Paths are as files/names.h says: relative to the workspace root, with '/', "." the root. Nothing
// outside the root is ever opened, no symbolic link is followed, and only regular files are read.
//
// A change is a list of steps that happens wholly or not at all, however the process ends, as long
// as no other program touches the same files meanwhile; if one does, its bytes win and the change
// fails with conflict. Every change has an id by which it can be taken back (undo_steps) for as long
// as its versions are kept (files/journal_gc.h).
//
// Errors of this module, always with the path relative to the root in the message:
//   path_not_allowed  the text names nothing below the root, or a link, a folder, a device
//   unknown_row       there is no such file
//   conflict          the file is not what the caller has read; data: path, step, etag (unless gone)
//   already_exists    the new name is taken; data: path, step
//   busy              another program is writing, or git is working here, or the lock is held
//   limit_exceeded    the file is over the cap
//   io_error          what the system said, in words
//
// Reading functions may be called from several threads at once. Writing functions may too, and
// wait for each other.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/etag.h"
#include "core/result.h"
#include "files/lock.h"

namespace notesdb {

// Files longer than this are not read.
inline constexpr std::uint64_t max_file = std::uint64_t{16} << 20U;

enum class FileKind : std::uint8_t { missing, regular, folder, link, other };

// What changes when a file's bytes change: the key under which a reading may be remembered.
struct StatKey {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  friend bool operator==(const StatKey&, const StatKey&) = default;
};

struct FileStat {
  FileKind kind = FileKind::missing;
  StatKey key;
};

// One name in a folder. A name is as the disk has it, which may be no UTF-8 at all.
struct Entry {
  std::string name;
  FileKind kind = FileKind::missing;
};

// One reading of a file: bytes, etag and stat key belong together.
struct FileBytes {
  std::string bytes;
  Etag etag;
  StatKey key;
  // Another program kept changing the file while it was read, so the bytes may be half of a save.
  bool being_written = false;
};

enum class ReadState : std::uint8_t {
  whole,
  being_written,
  missing,
  not_regular,
  too_large,
  failed
};

// One file of read_all. The bytes are valid during the call only.
struct FileView {
  std::size_t index = 0;   // into the names given
  std::size_t worker = 0;  // which thread this is, from 0, below reading_threads
  ReadState state = ReadState::failed;
  std::string_view bytes;
  Etag etag;
  StatKey key;
};

inline constexpr std::size_t reading_threads = 2;

enum class StepKind : std::uint8_t {
  create,
  replace,
  remove,
  rename,
  create_folder,
  remove_folder
};

std::string_view name_of(StepKind kind);
std::optional<StepKind> parse_step_kind(std::string_view name);

// One file of a change, and what the caller believes about it.
struct Step {
  StepKind kind = StepKind::create;
  std::string path;
  std::string new_path;  // of a rename; of a remove, the file of this change that is its row now
  Etag expected;         // of what is there now; create and folders expect nothing
  StatKey seen;          // of the reading that `expected` was made of, if it is known
  std::string bytes;     // of create and replace
  // Of a create that continues another file's life: the file whose mode, owner and attributes it
  // takes, by its path or as a kept version (JournalEntry::file).
  std::string like;
  std::string like_kept;
  // Of a step that undo_steps gave: the change that it takes back, and whether that change is an
  // undo itself, so that this is a redo.
  std::string takes_back;
  bool is_redo = false;

  static Step create(std::string path, std::string bytes);
  static Step replace(std::string path, Etag expected, std::string bytes);
  static Step remove(std::string path, Etag expected);
  static Step rename(std::string path, std::string new_path, Etag expected);
  // The folder of a new file is made by itself where it is missing; this is for an empty one.
  static Step create_folder(std::string path);
  // Only an empty folder is removed; any other is left in peace, silently.
  static Step remove_folder(std::string path);
};

// What a change did.
struct Written {
  std::string change;                   // its id: sorts by time, undo_steps takes it back
  std::vector<Etag> etags;              // by step: of the file as it is now; as it was, if removed
  std::vector<std::int64_t> mtimes_ns;  // by step: of the file it made; 0 where it made none
  std::vector<std::string> notes;       // what could not be kept, for the caller to pass on
  bool durable = true;  // false: visible, but the last sync failed: stored, not yet safe
};

// One step of an earlier change, with the version it put aside.
struct JournalEntry {
  std::string change;
  std::int64_t time_us = 0;  // since 1970
  std::size_t step = 0;
  StepKind kind = StepKind::create;
  std::string path;
  std::string new_path;          // as in Step
  std::optional<Etag> old_etag;  // none where the step created something
  std::optional<Etag> new_etag;  // none where it removed something
  std::string file;              // the kept version's name in the store; empty if there is none
  std::uint64_t size = 0;        // of the kept version; 0 where nobody knows it
  // Of the first step of a change: the earlier change that it took back, if any, whether that was
  // an undo, and what the change was for, in words.
  std::string takes_back;
  bool is_redo = false;
  std::string what;
};

// An earlier change.
struct PastChange {
  std::string id;
  std::int64_t time_us = 0;  // since 1970
  std::string what;          // in words; empty where nobody gave any
  std::string takes_back;    // the change that it undid, or the undo that it redid
  bool is_redo = false;
  std::vector<JournalEntry> steps;  // in the order they were taken

  bool is_undo() const { return !takes_back.empty() && !is_redo; }
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  // Everything in a folder but "." and "..", in no order. A folder that is missing is unknown_row.
  virtual Result<std::vector<Entry>> list(std::string_view folder) const = 0;
  // What is at a path, links not followed. Missing is an answer, not an error.
  virtual Result<FileStat> stat(std::string_view path) const = 0;
  // The same for many names of one folder, on both cores. Names are bare and end in NUL, so that an
  // index may keep them in one block; out[i] belongs to names[i].
  virtual Result<void> stat_all(std::string_view folder,
                                std::span<const char* const> names,
                                std::span<FileStat> out) const = 0;
  // The whole of a regular file. One that keeps moving is read again, three times, before it is
  // given back as being_written.
  virtual Result<FileBytes> read(std::string_view path, std::uint64_t cap = max_file) const = 0;
  // The same for many names of one folder, on both cores, in no order; `take` is called from
  // several threads at once, each with its own worker number.
  virtual Result<void> read_all(std::string_view folder,
                                std::span<const char* const> names,
                                const std::function<void(const FileView&)>& take) const = 0;

  // The workspace's write lock, for a caller that must look before it writes. Fails with busy
  // after five seconds, or while git is working here.
  virtual Result<HeldLock> lock() = 0;
  // Finishes a change of several files that a crash left half done, as lock() and apply() do first.
  // Costs nothing where there is none. Fails with conflict, once, if it cannot be finished because
  // a file is neither as before nor as after; it is then left for a person, and work continues.
  virtual Result<void> recover() = 0;
  // Does all steps or none. Names that steps create are checked by check_new_path. Two steps of
  // one change do not name the same file. `what` says in a few words what the change is for
  // ("import of 5,000 rows into books"); history shows it.
  // Fails with limit_exceeded where the trash is full (files/journal_gc.h).
  virtual Result<Written> apply(const std::vector<Step>& steps, std::string_view what = {}) = 0;

  // Shows the changes that are kept, newest first, until `take` answers false.
  virtual Result<void> past_changes(const std::function<bool(PastChange&)>& take) const = 0;
  // Why what was kept is not believed (files/store.h); empty where it is, or there is none.
  virtual std::string past_problem() const { return {}; }
  // Their steps, newest first, of one path (also under its earlier names) or of all ("").
  Result<std::vector<JournalEntry>> history(std::string_view path, std::size_t most) const;
  // A kept version's bytes (JournalEntry::file).
  virtual Result<FileBytes> read_kept(std::string_view file) const = 0;
  // The steps that take a change back exactly, ready for apply. Fails with invalid_argument if no
  // such change is kept, or not all of its versions.
  virtual Result<std::vector<Step>> undo_steps(std::string_view change) const = 0;

  // One file at a time: the same as apply of one step.
  Result<Written> create(std::string path, std::string bytes);
  Result<Written> replace(std::string path, Etag expected, std::string bytes);
  Result<Written> remove(std::string path, Etag expected);
  Result<Written> rename(std::string path, std::string new_path, Etag expected);
};

inline std::int64_t clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Whether a reading begun at `read_at` (clock_ns) is told from every later state by its key: git's
// rule for racy time stamps, made stricter. A file system's clock ticks as slowly as every 4 ms,
// and some every 2 s, so two saves may bear one stamp. A reading counts as sure only if the newest
// stamp was older than two seconds when it was made; a stamp in the future never counts.
inline bool is_sure(const StatKey& key, std::int64_t read_at) {
  constexpr std::int64_t racy_ns = 2'000'000'000;
  return std::max(key.mtime_ns, key.ctime_ns) + racy_ns < read_at;
}

}  // namespace notesdb
