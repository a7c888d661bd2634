#include "files/disk.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "files/change.h"
#include "files/change_id.h"
#include "files/failure.h"
#include "files/intent.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/reading.h"
#include "files/step_check.h"

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
  if (Result<void> done = change.commit(); !done) return done.error();
  change.sync_folders();
  if (trash_state(store, trash_, now_us()).is_gc_due) is_gc_due_ = true;
  was_written_ = true;
  return Verdict::clear;
}

}  // namespace notesdb
