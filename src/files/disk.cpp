#include "files/disk.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/budget.h"
#include "core/progress.h"
#include "core/threads.h"
#include "files/change.h"
#include "files/change_id.h"
#include "files/descriptor.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/reading.h"
#include "files/root.h"
#include "files/waiting_mark.h"

namespace notesdb {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds lock_patience(5'000);
constexpr milliseconds git_patience(500);
constexpr milliseconds writer_patience(2'000);

FileKind kind_of(int folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG: return FileKind::regular;
    case DT_DIR: return FileKind::folder;
    case DT_LNK: return FileKind::link;
    case DT_UNKNOWN: break;  // some file systems do not say
    default: return FileKind::other;
  }
  struct stat status {};
  if (::fstatat(folder, static_cast<const char*>(entry.d_name), &status, AT_SYMLINK_NOFOLLOW) !=
      0) {
    return FileKind::missing;
  }
  return to_file_stat(status).kind;
}

// What `name`, which is one segment, is in an open folder.
Result<FileStat> stat_in(int folder, std::string_view name, std::string_view path) {
  struct stat status {};
  if (::fstatat(folder, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    return to_file_stat(status);
  }
  if (errno == ENOENT) return FileStat{};
  return failure(errno, "look at", path);
}

// Of the files of a change, and the workspace's own.
GitGuard::Folders folders_of(const std::vector<Step>& steps) {
  GitGuard::Folders folders{"."};
  for (const Step& step : steps) {
    folders.emplace(folder_of(step.path));
    if (!step.new_path.empty()) folders.emplace(folder_of(step.new_path));
  }
  return folders;
}

Error still_waiting(Verdict seen) {
  return busy(seen == Verdict::trash_full
                  ? "busy: another program is making place in the trash; try again"
                  : "busy: another program is writing a row; try again");
}

}  // namespace

Disk::Disk(Root root) : root_(std::move(root)), folders_(root_), git_(root_.descriptor(), ".") {}

Result<std::unique_ptr<Disk>> Disk::open(const std::string& root) {
  Result<Root> opened = Root::open(root);
  if (!opened) return opened.error();
  return std::unique_ptr<Disk>(new Disk(std::move(*opened)));
}

Result<std::vector<Entry>> Disk::list(std::string_view folder) const {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  DIR* stream = ::fdopendir(opened->get());
  if (stream == nullptr) return failure(errno, "list", folder);
  const int descriptor = opened->release();  // the stream's now
  std::vector<Entry> entries;
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") {
      entries.push_back({std::move(name), kind_of(descriptor, *entry)});
    }
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return failure(error, "list", folder);
  return entries;
}

Result<FileStat> Disk::stat(std::string_view path) const {
  if (Result<void> fits = check_path(path); !fits) return fits.error();
  const std::string_view folder = folder_of(path);
  if (folder == ".") return stat_in(root_.descriptor(), path, path);
  const auto opened = folders_.open(folder);
  if (!opened && opened.error().code == ErrorCode::unknown_row) return FileStat{};
  if (!opened) return opened.error();
  return stat_in((*opened)->file.get(), name_in(path), path);
}

Result<FileBytes> Disk::read(std::string_view path, std::uint64_t cap) const {
  Result<Descriptor> file = root_.open_file(path);
  if (!file) return file.error();
  std::string bytes;
  const FileReading reading = read_settled(file->get(), cap, bytes);
  return to_file_bytes(reading, std::move(bytes), path, cap);
}

Result<std::shared_ptr<Store>> Disk::store() {
  if (Result<void> alive = root_.check_alive(); !alive) return alive.error();
  const std::lock_guard<std::mutex> alone(store_mutex_);
  if (store_ && store_->still_there(root_)) return store_;
  Result<Store> made = Store::make(root_);
  if (!made) return made.error();
  store_ = std::make_shared<Store>(std::move(*made));
  return store_;
}

std::shared_ptr<Store> Disk::store_in_use() {
  const std::lock_guard<std::mutex> alone(store_mutex_);
  return store_ && store_->still_there(root_) ? store_ : nullptr;
}

Result<HeldLock> Disk::lock() {
  Result<std::shared_ptr<Store>> made = store();
  if (!made) return made.error();
  return lock_beside_git({"."}, **made);
}

Result<HeldLock> Disk::lock_beside_git(const GitGuard::Folders& folders, Store& store) {
  if (Result<void> free = git_.wait(folders, git_patience); !free) return free.error();
  Result<HeldLock> held = lock_.take(store.base(), lock_patience);
  if (store.is_in_place(root_)) return finish_under(std::move(held), store);
  // Deleted or set aside since; whoever holds the lock of that one keeps nobody out.
  held = HeldLock();
  Result<std::shared_ptr<Store>> made = this->store();
  if (!made) return made.error();
  return finish_under(lock_.take((*made)->base(), lock_patience), **made);
}

Result<HeldLock> Disk::finish_under(Result<HeldLock> held, Store& ours) {
  if (!held || lock_.nested() || !has_intent(ours.intent())) return held;
  if (!ours.is_ours()) {
    return Error{ErrorCode::io_error,
                 ".notesdb holds an unfinished change and cannot be verified, because " +
                     ours.why() + "; set HOME or XDG_STATE_HOME, or remove .notesdb"};
  }
  const auto [is_ours, steps] = read_intent(ours.intent(), ours.word());
  if (!is_ours) {
    set_intent_aside(ours.intent(), "foreign-" + new_change_id());
    return held;
  }
  if (steps.empty()) {
    remove_intent(ours.intent());
    return held;
  }
  Change interrupted(root_, folders_, ours);
  const Result<Resumed> resumed = interrupted.resume(steps);
  if (resumed) return held;
  set_intent_aside(ours.intent(), steps.front().change);
  return Error{ErrorCode::conflict,
               "the change " + steps.front().change +
                   " was interrupted and cannot be finished, because a file has changed since (" +
                   resumed.error().message +
                   "); the versions before it are kept, and its list is in .notesdb/intent"}
      .with("change", steps.front().change);
}

Result<void> Disk::recover() {
  // This looks only whether there is anything to do. The lock opens the folder as it must be
  // opened.
  struct stat status {};
  if (::fstatat(root_.descriptor(), ".notesdb/intent/current", &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return {};
  }
  // What is not ours is left to the next write, which sets it aside.
  if (!Store::find(root_).is_ours()) return {};
  Result<std::shared_ptr<Store>> made = store();
  if (!made) return made.error();
  // Whoever has the lock is running on it, or will find it; nobody waits for that.
  constexpr milliseconds none(0);
  if (!git_.wait({"."}, none)) return {};
  Result<HeldLock> held = lock_.take((*made)->base(), none);
  if (!held) return {};
  held = finish_under(std::move(held), **made);
  if (!held) return held.error();
  return {};
}

Result<Written> Disk::apply(const std::vector<Step>& steps, std::string_view what) {
  Result<std::vector<Descriptor>> rows = check_steps(root_, steps);
  if (!rows) {
    // Refused perhaps for what a crash left half done; a refusal is to speak of whole changes only.
    if (Result<void> finished = recover(); !finished) return finished.error();
    rows = check_steps(root_, steps);
  }
  if (!rows) return rows.error();
  Result<std::shared_ptr<Store>> made = store();
  if (!made) return made.error();
  Change change(root_, folders_, **made);
  if (Result<void> ready = change.prepare(steps, what, std::move(*rows)); !ready)
    return ready.error();
  const GitGuard::Folders folders = folders_of(steps);
  const Clock::time_point deadline = Clock::now() + writer_patience;
  while (!change.empty()) {
    Result<Verdict> seen = commit_once(change, steps, **made, folders);
    if (!seen) return seen.error();
    if (*seen == Verdict::clear) break;
    if (Clock::now() >= deadline) return still_waiting(*seen);
    if (*seen == Verdict::trash_full) tidy(writer_patience);
    std::this_thread::sleep_for(milliseconds(2));
  }
  return change.written();
}

Result<Verdict> Disk::commit_once(Change& change,
                                  const std::vector<Step>& steps,
                                  Store& store,
                                  const GitGuard::Folders& folders) {
  Result<HeldLock> held = lock_beside_git(folders, store);
  if (!held) return held.error();
  Result<Verdict> seen = change.verify();
  if (!seen || *seen != Verdict::clear) return seen;
  seen = find_place(change, steps, store);
  if (!seen || *seen != Verdict::clear) return seen;
  Budget::look();
  const BudgetPause beyond_stopping;
  if (Result<void> done = change.commit(); !done) return done.error();
  change.sync_folders();
  if (trash_state(store, trash_, now_us()).is_gc_due) is_gc_due_ = true;
  was_written_ = true;
  return Verdict::clear;
}

namespace {

// Where 100,000 cold files took 2,756 ms with 2 readers, they took 1,838 with 8 and 1,254 with 32.
constexpr std::size_t max_threads = 30;
constexpr std::size_t files_worth_a_thread = 16;

}  // namespace

Warming::Warming(int folder, std::span<const char* const> names) : folder_(folder), names_(names) {
  try {
    while (threads_.size() < max_threads && threads_.size() * files_worth_a_thread < names.size())
      threads_.emplace_back([this] { run(); });
  } catch (const std::exception&) {
    return;  // as many as the system and the memory allow
  }
}

Warming::~Warming() {
  next_ = names_.size();
  for (std::thread& thread : threads_)
    thread.join();
}

void Warming::run() {
  kernel::own_descriptor_table();
  for (std::size_t at = next_++; at < names_.size(); at = next_++) {
    if (!is_bare(names_[at])) continue;
    const Descriptor file = kernel::open_to_read(folder_, names_[at]);
#ifdef POSIX_FADV_WILLNEED
    if (file) ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_WILLNEED);
#endif
  }
}

namespace {

// Below this many files starting a thread costs more than it brings (measured).
constexpr std::size_t share_stats_from = 700;
constexpr std::size_t share_reads_from = 64;

// Up to as many are read because somebody knows that they were touched.
constexpr std::size_t few_touched = 256;

// As many show whether the files come from memory or from the disk.
constexpr std::size_t shown_by = 16;

// How many files a worker takes at a time: few of few, so that both end together; many of many, so
// that they seldom write next to each other.
std::size_t block_of(std::size_t count) {
  constexpr std::size_t blocks = 32;
  return std::clamp<std::size_t>(count / blocks, 4, 128);
}

// Calls work(worker, begin, end) for blocks of first..count, on both cores if `share`.
template <typename Work>
void in_blocks(std::size_t first, std::size_t count, bool share, const Work& work) {
  std::atomic<std::size_t> next{first};
  const std::size_t block = block_of(count - first);
  const auto run = [&](std::size_t worker) {
    for (std::size_t at = next.fetch_add(block); at < count; at = next.fetch_add(block)) {
      work(worker, at, std::min(at + block, count));
    }
  };
  if (!share) return run(0);
  const auto run_other = [&] {
    // The caller keeps the process's descriptor table; this thread needs one of its own only.
    kernel::own_descriptor_table();
    run(1);
  };
  Beside other(run_other);
  run(0);
  other.join();
}

FileStat stat_in(int folder, const char* name) {
  struct stat status {};
  if (!is_bare(name) || ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return to_file_stat(status);
}

FileView read_in(int folder, const char* name, PassReader& reader) {
  FileView view;
  if (!is_bare(name)) {
    view.state = ReadState::missing;
    return view;
  }
  const Descriptor file = kernel::open_to_read(folder, name);
  if (!file) {
    if (errno == ENOENT) view.state = ReadState::missing;
    if (errno == ELOOP || errno == ENXIO) view.state = ReadState::not_regular;
    return view;
  }
  const FileReading reading = reader.read(file.get(), max_file);
  view.state = reading.state;
  view.key = reading.key;
  if (view.state == ReadState::whole || view.state == ReadState::being_written) {
    view.bytes = reader.bytes();
    view.etag = etag_of(view.bytes);
  }
  return view;
}

}  // namespace

Result<void> Disk::stat_all(std::string_view folder,
                            std::span<const char* const> names,
                            std::span<FileStat> out) const {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  const int descriptor = opened->get();
  in_blocks(0,
            names.size(),
            names.size() >= share_stats_from,
            [&](std::size_t, std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i)
                out[i] = stat_in(descriptor, names[i]);
            });
  return {};
}

Result<void> Disk::read_all(std::string_view folder,
                            std::span<const char* const> names,
                            const std::function<void(const FileView&)>& take) const {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  const int descriptor = opened->get();
  const auto expected = names.size() <= few_touched ? PassReader::Expects::touched_files
                                                    : PassReader::Expects::rested_files;
  std::array<PassReader, reading_threads> readers{PassReader(descriptor, expected),
                                                  PassReader(descriptor, expected)};
  const auto take_one = [&](std::size_t worker, std::size_t i, FileView view) {
    view.index = i;
    view.worker = worker;
    take(view);
  };
  const bool share = names.size() >= share_reads_from;
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> read{0};
  std::size_t told = 0;  // of them, by the caller's thread
  if (share) Progress::begin(names.size(), "reading files");
  Warmth warmth;
  std::size_t first = 0;
  for (; share && first < shown_by; ++first) {
    take_one(0, first, warmth.time([&] { return read_in(descriptor, names[first], readers[0]); }));
  }
  std::optional<Warming> warming;
  if (warmth.is_cold()) warming.emplace(descriptor, names.subspan(first));
  in_blocks(
      first, names.size(), share, [&](std::size_t worker, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          take_one(worker, i, read_in(descriptor, names[i], readers[worker]));
        const std::size_t now = read += end - begin;
        if (!share || std::this_thread::get_id() != caller) return;
        Progress::step(now - told);
        told = now;
      });
  return {};
}

namespace {

// A version was kept under a second name for a moment where the file system cannot exchange.
Descriptor open_kept(int displaced, const std::string& file) {
  Descriptor opened = kernel::open_to_read(displaced, (file + ".old").c_str());
  if (opened) return opened;
  return kernel::open_to_read(displaced, file.c_str());
}

Result<FileBytes> read_kept_in(int displaced, const std::string& file) {
  const Error gone{ErrorCode::unknown_row, "the version " + quoted(file) + " is not kept any more"};
  if (file.empty() || file.find('/') != std::string::npos) return gone;
  const Descriptor opened = open_kept(displaced, file);
  if (!opened) return gone;
  std::string bytes;
  const FileReading reading = read_settled(opened.get(), max_file, bytes);
  return to_file_bytes(reading, std::move(bytes), file, max_file);
}

// A process may have died between recording a step and taking it. The file that was to go in
// still lies where the version put aside would be.
bool took_effect(int displaced, const JournalEntry& step) {
  if (step.file.empty()) return true;
  const Result<FileBytes> kept = read_kept_in(displaced, step.file);
  if (step.kind == StepKind::remove) return kept.ok();
  return kept && kept->etag != step.new_etag;
}

Step opposite_of(const JournalEntry& step, std::string bytes) {
  switch (step.kind) {
    case StepKind::create: return Step::remove(step.path, *step.new_etag);
    case StepKind::replace: return Step::replace(step.path, *step.new_etag, std::move(bytes));
    case StepKind::rename: return Step::rename(step.new_path, step.path, *step.old_etag);
    case StepKind::create_folder: return Step::remove_folder(step.path);
    case StepKind::remove_folder: return Step::create_folder(step.path);
    case StepKind::remove: break;
  }
  Step back = Step::create(step.path, std::move(bytes));
  back.like_kept = step.file;
  return back;
}

std::string why_not(const Store& store) {
  if (store.state() == StoreState::foreign) return ".notesdb " + store.why();
  if (store.state() == StoreState::unverified)
    return ".notesdb cannot be verified, because " + store.why();
  return "";
}

}  // namespace

// The one that this process writes to, as it knows that; else whatever lies there, if it is ours.
Disk::TrustedStore Disk::trusted_store() const {
  const auto copy = [](const Store& store) {
    if (!store.is_ours()) return TrustedStore{Descriptor(), "", why_not(store)};
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    return TrustedStore{Descriptor(::openat(store.displaced(), ".", flags)), store.word(), ""};
  };
  {
    const std::lock_guard<std::mutex> alone(store_mutex_);
    if (store_ && store_->is_ours() && store_->still_there(root_)) return copy(*store_);
  }
  return copy(Store::find(root_));
}

namespace {

// Whether a writer holds the lock of a workspace. What a writer that died has left is held by nobody.
bool is_locked(int root) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const Descriptor lock(::openat(root, ".notesdb/lock", flags));
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

ChangeMark Disk::change_mark() const {
  ChangeMark mark;
  struct stat status {};
  const int root = root_.descriptor();
  if (::fstatat(root, ".notesdb/intent", &status, AT_SYMLINK_NOFOLLOW) != 0) return mark;
  mark.mtime_ns = to_file_stat(status).key.mtime_ns;
  mark.is_under_way =
      ::fstatat(root, ".notesdb/intent/current", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      is_locked(root) && Store::find(root_).is_ours();
  return mark;
}

std::string Disk::past_problem() const {
  return trusted_store().why;
}

// Of a change of several files the intent says what became of it.
Result<void> Disk::past_changes(const std::function<bool(PastChange&)>& take) const {
  const TrustedStore kept = trusted_store();
  const Descriptor& displaced = kept.displaced;
  if (!displaced) return {};
  std::string text;
  if (const int error = read_journal(displaced.get(), kept.word, text)) {
    return failure(error, "read", ".notesdb/displaced/journal");
  }
  JournalReader reader(text);
  while (std::optional<PastChange> change = reader.next()) {
    if (change->steps.size() == 1 && !took_effect(displaced.get(), change->steps.front())) continue;
    if (!take(*change)) break;
  }
  return {};
}

Result<FileBytes> Disk::read_kept(std::string_view file) const {
  return read_kept_in(trusted_store().displaced.get(), std::string(file));
}

Result<std::vector<Step>> Disk::undo_steps(std::string_view id) const {
  const TrustedStore kept_here = trusted_store();
  const Descriptor& displaced = kept_here.displaced;
  const Error unknown{
      ErrorCode::invalid_argument,
      "there is no change " + quoted(id) + " that can be taken back" +
          (kept_here.why.empty() ? ", or it is not kept any more" : "; " + kept_here.why)};
  std::string text;
  if (!displaced || read_journal(displaced.get(), kept_here.word, text) != 0) return unknown;
  const std::optional<PastChange> change = JournalReader(text).find(id);
  if (!change) return unknown;
  std::vector<Step> back;
  std::set<std::string_view> folders;
  for (auto step = change->steps.rbegin(); step != change->steps.rend(); ++step) {
    // An earlier release wrote down a folder twice that was made with a file in it.
    const bool is_folder = step->kind == StepKind::create_folder;
    if (is_folder && !folders.insert(step->path).second) continue;
    if (!took_effect(displaced.get(), *step)) return unknown;
    std::string bytes;
    if (!step->file.empty()) {
      Result<FileBytes> kept = read_kept_in(displaced.get(), step->file);
      if (!kept) return kept.error();
      bytes = std::move(kept->bytes);
    }
    back.push_back(opposite_of(*step, std::move(bytes)));
    back.back().takes_back = change->id;
    back.back().is_redo = change->is_undo();
  }
  return back;
}

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Nobody waits for a collection; it comes again.
constexpr milliseconds tidy_patience(100);

std::string in_mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t tenth = (std::uint64_t{1} << 20U) / 10;
  const std::uint64_t tenths = (bytes + tenth / 2) / tenth;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

Error trash_is_full(const TrashLimits& limits, std::uint64_t kept) {
  constexpr std::int64_t day_us = std::int64_t{24} * 60 * 60 * 1'000'000;
  Error error{ErrorCode::limit_exceeded,
              "the trash is full: " + in_mebibytes(kept) +
                  " of earlier versions are kept for undo, and trash_bytes allows " +
                  in_mebibytes(limits.bytes) +
                  "; nothing was changed. Raise trash_bytes, or lower trash_days (" +
                  std::to_string(limits.keep_us / day_us) + "), in notesdb.yaml"};
  return std::move(error)
      .with("setting", "trash_bytes")
      .with("kept", static_cast<std::int64_t>(kept))
      .with("limit", static_cast<std::int64_t>(limits.bytes));
}

}  // namespace

Result<Verdict> Disk::find_place(const Change& change,
                                 const std::vector<Step>& steps,
                                 Store& store) {
  if (change.bytes_put_aside() == 0) return Verdict::clear;
  const TrashState state = trash_state(store, trash_, now_us());
  // Taking back is what all this is kept for.
  const std::uint64_t factor = steps.front().takes_back.empty() ? 1 : 2;
  if (state.kept <= trash_.bytes * factor) return Verdict::clear;
  if (state.is_collected) return trash_is_full(trash_, state.kept);
  is_gc_due_ = true;
  return Verdict::trash_full;
}

bool Disk::tidy(milliseconds budget) {
  if (!is_gc_due_ && !was_written_) return true;
  const std::lock_guard<std::mutex> alone(tidy_mutex_);
  const std::shared_ptr<Store> store = store_in_use();
  // One that was removed is not made for this; nothing in one that is not ours says what may go.
  if (store == nullptr || !store->is_ours()) {
    is_gc_due_ = false;
    was_written_ = false;
    return true;
  }
  const Clock::time_point deadline = Clock::now() + budget;
  const JournalGc::Lock lock = [&] { return lock_.take(store->base(), tidy_patience); };
  if (was_written_.exchange(false) && !clear_abandoned(*store, deadline)) was_written_ = true;
  if (!is_gc_due_) return !was_written_;
  if (gc_ == nullptr || gc_->store() != store.get())
    gc_ = std::make_unique<JournalGc>(root_, store, trash_, now_us());
  if (!gc_->run(lock, deadline)) return false;
  gc_.reset();
  is_gc_due_ = false;
  return !was_written_;
}

}  // namespace notesdb
