#include "files/change.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/budget.h"
#include "core/progress.h"
#include "files/change_id.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/file_claim.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/reading.h"
#include "files/writable_path.h"

namespace notesdb {

namespace {

// Whether a step of this kind puts a new name into a folder.
bool adds_name(StepKind kind) {
  return kind == StepKind::create || kind == StepKind::create_folder || kind == StepKind::rename;
}

// The error for a row whose claim is not held; being_written is busy.
Error claim_failure(const FileClaim& claim, std::string_view path) {
  switch (claim.state) {
    case GripState::being_written:
      return busy("busy: another program is writing " + quoted(path) + "; try again");
    case GripState::gone: return conflict(path, nullptr);
    case GripState::changed: return conflict(path, &claim.etag);
    case GripState::not_regular:
      return Error{ErrorCode::path_not_allowed, quoted(path) + " is not a regular file"};
    case GripState::held:
    case GripState::failed: break;
  }
  return failure(claim.error, "read", path);
}

constexpr std::size_t max_left_open = 8;

Result<void> check_named_once(const std::vector<Step>& steps) {
  std::set<std::string_view> seen;
  for (const Step& step : steps) {
    for (const std::string* path : {&step.path, &step.new_path}) {
      if (path == &step.new_path && step.kind != StepKind::rename) continue;
      if (seen.insert(*path).second) continue;
      return Error{ErrorCode::invalid_argument,
                   quoted(*path) + " is named twice in one change; make it one step"};
    }
  }
  return {};
}

Result<void> check_names(const Step& step) {
  if (Result<void> fits = check_writable_step(step.kind, step.path, step.new_path); !fits)
    return fits;
  if (step.bytes.size() > max_file) {
    return Error{
        ErrorCode::limit_exceeded,
        quoted(step.path) + " would be longer than " + std::to_string(max_file) + " bytes"};
  }
  return {};
}

// Not enough to write over it, for which the bytes are compared under the lock, but enough for
// here.
bool is_as_seen(int file, const StatKey& seen) {
  struct stat status {};
  return seen.inode != 0 && ::fstat(file, &status) == 0 && to_file_stat(status).key == seen;
}

Result<Descriptor> check_expected(const Root& root, const Step& step) {
  Result<Descriptor> file = root.open_file(step.path);
  if (!file && file.error().code == ErrorCode::unknown_row) return conflict(step.path, nullptr);
  if (!file) return file.error();
  if (is_as_seen(file->get(), step.seen)) return file;
  std::string bytes;
  const FileReading reading = read_settled(file->get(), max_file, bytes);
  if (reading.state == ReadState::being_written) return file;  // the verify under the lock waits
  const Result<FileBytes> now = to_file_bytes(reading, std::move(bytes), step.path, max_file);
  if (!now) return now.error();
  if (now->etag != step.expected) return conflict(step.path, &now->etag);
  return file;
}

// The row, where the step has one.
Result<Descriptor> check_step(const Root& root, const Step& step) {
  if (Result<void> fits = check_names(step); !fits) return fits.error();
  switch (step.kind) {
    case StepKind::replace:
    case StepKind::remove:
    case StepKind::rename: return check_expected(root, step);
    case StepKind::create:
      if (root.open_file(step.path)) {
        Error taken = failure(EEXIST, "create", step.path);
        return std::move(taken).with("path", step.path);
      }
      break;
    case StepKind::create_folder:
    case StepKind::remove_folder: break;
  }
  return Descriptor();
}

}  // namespace

Result<std::vector<Descriptor>> check_steps(const Root& root, const std::vector<Step>& steps) {
  if (Result<void> once = check_named_once(steps); !once) return once.error();
  std::vector<Descriptor> opened;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Result<Descriptor> row = check_step(root, steps[i]);
    if (!row) {
      Error error = row.error();
      return std::move(error).with("step", static_cast<std::int64_t>(i));
    }
    if (steps.size() <= max_left_open) opened.push_back(std::move(*row));
  }
  return opened;
}

namespace {

// From this many files on, one sync of the whole file system is cheaper than one for each.
constexpr std::size_t sync_together_from = 8;

bool writes_bytes(StepKind kind) {
  return kind == StepKind::create || kind == StepKind::replace;
}

}  // namespace

Change::Change(const Root& root, FolderCache& kept, Store& store)
    : root_(root), kept_(kept), store_(store) {}

Change::~Change() {
  if (is_between_steps_) return;
  for (const Part& part : parts_) {
    if (!part.has_temp || part.done) continue;
    // Only what is certainly ours: after a failure somebody's save may lie in its place.
    const Place& place = part.ready.place;
    struct stat status {};
    if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool ours = part.ready.key.inode == 0 || part.ready.key.inode == status.st_ino;
    if (ours) ::unlinkat(place.folder, place.name.c_str(), 0);
  }
}

Result<void> Change::prepare(const std::vector<Step>& steps,
                             std::string_view what,
                             std::vector<Descriptor> looked_at) {
  looked_at_ = std::move(looked_at);
  written_.change = new_change_id();
  written_.etags.assign(steps.size(), Etag{});
  written_.mtimes_ns.assign(steps.size(), 0);
  sync_each_ = steps.size() < sync_together_from;
  for (const Step& step : steps) {
    const std::string& fresh = step.kind == StepKind::rename ? step.new_path : step.path;
    if (!adds_name(step.kind)) continue;
    if (Result<void> planned = plan_folders(folder_of(fresh)); !planned) return planned;
  }
  if (!sync_each_) waiting_.place(store_.intent(), written_.change, parts_.size() + steps.size());
  Progress::begin(steps.size(), "writing files");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Budget::look();
    Progress::step();
    if (Result<void> ready = prepare_step(steps[i], i); !ready) {
      Error error = ready.error();
      return std::move(error).with("step", static_cast<std::int64_t>(i));
    }
  }
  looked_at_.clear();
  if (parts_.empty()) written_.change.clear();
  if (!parts_.empty()) {
    JournalEntry& first = parts_.front().record;
    first.takes_back = steps.front().takes_back;
    first.is_redo = steps.front().is_redo;
    first.what = what;
  }
  return sync_all();
}

// Adds a step for each folder on the way to `path` that is not there yet.
Result<void> Change::plan_folders(std::string_view path) {
  if (path == ".") return {};
  if (makes_folder(path)) return {};
  Result<Descriptor> folder = root_.open_folder(path);
  if (folder) return {};
  if (folder.error().code != ErrorCode::unknown_row) return folder.error();
  if (Result<void> fits = check_new_name(name_in(path)); !fits) return fits;
  if (Result<void> above = plan_folders(folder_of(path)); !above) return above;
  Part part;
  part.step = written_.etags.size();
  part.record.change = written_.change;
  part.record.step = parts_.size();
  part.record.kind = StepKind::create_folder;
  part.record.path = path;
  parts_.push_back(std::move(part));
  return {};
}

bool Change::makes_folder(std::string_view path) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.record.kind == StepKind::create_folder && part.record.path == path;
  });
}

Result<void> Change::prepare_step(const Step& step, std::size_t index) {
  // A folder that is made with a file in it already, or is there, is no step of this change: who
  // takes it back would remove the folder twice, or one that was there before.
  if (step.kind == StepKind::create_folder &&
      (makes_folder(step.path) || root_.open_folder(step.path))) {
    return {};
  }
  Part part;
  part.step = index;
  part.record.change = written_.change;
  part.record.step = parts_.size();
  part.record.kind = step.kind;
  part.record.path = step.path;
  part.record.new_path = step.new_path;
  if (step.kind == StepKind::replace || step.kind == StepKind::remove ||
      step.kind == StepKind::rename) {
    part.record.old_etag = step.expected;
    written_.etags[index] = step.expected;
    if (Result<Place> place = place_of(step.path); !place) return place.error();
  }
  if (writes_bytes(step.kind)) {
    part.record.new_etag = etag_of(step.bytes);
    written_.etags[index] = *part.record.new_etag;
    Result<Descriptor> like = open_like(step, index);
    if (!like) return like.error();
    // The file has these bytes already: it is left untouched.
    if (part.record.new_etag == part.record.old_etag) return {};
    if (Result<void> done = write_new(step, *like, part); !done) {
      parts_.push_back(std::move(part));  // so that its file is removed with us
      return done;
    }
  } else if (step.kind == StepKind::remove) {
    if (Result<void> chosen = choose_waiting_place(part); !chosen) return chosen;
  }
  parts_.push_back(std::move(part));
  return {};
}

// The file whose attributes the new one takes: for a replacement that is the row itself.
Result<Descriptor> Change::open_like(const Step& step, std::size_t index) {
  if (step.kind == StepKind::create && !step.like_kept.empty()) {
    return kernel::open_to_read(store_.displaced(), step.like_kept.c_str());
  }
  if (step.kind == StepKind::create && step.like.empty()) return Descriptor();
  if (index < looked_at_.size() && looked_at_[index]) return std::move(looked_at_[index]);
  Result<Descriptor> file = root_.open_file(step.kind == StepKind::create ? step.like : step.path);
  const bool gone = !file && file.error().code == ErrorCode::unknown_row;
  if (gone && step.kind == StepKind::replace) return conflict(step.path, nullptr);
  return file;
}

Result<void> Change::write_new(const Step& step, const Descriptor& like, Part& part) {
  if (Result<void> opened = open_new(part); !opened) return opened;
  const int file = part.fresh.get();
  part.ready.etag = *part.record.new_etag;
  if (const int error = write_whole(file, step.bytes)) return failure(error, "write", step.path);
  struct stat fresh {};
  struct stat old {};
  if (::fstat(file, &fresh) != 0) return failure(errno, "write", step.path);
  if (like) {
    if (::fstat(like.get(), &old) != 0) return failure(errno, "read", step.path);
    carry_attributes(like.get(), old, file, fresh, written_.notes);
    const bool is_kept = step.kind == StepKind::create && !step.like_kept.empty();
    if (const int error = is_kept ? forbid_running(file) : 0)
      return failure(error, "write", step.path);
    if (step.kind == StepKind::replace && old.st_nlink > 1) {
      written_.notes.push_back(quoted(step.path) +
                               " had another name (a hard link), which keeps the version before");
    }
  }
  part.ready.key = to_file_stat(fresh).key;
  written_.mtimes_ns[part.step] = part.ready.key.mtime_ns;
  if (sync_each_ || part.waits_in_row_folder) {
    if (const int error = kernel::sync_file(file)) return failure(error, "write", step.path);
  }
  // A file that is open for writing would keep others from taking a lease on it.
  if (!part.unnamed) part.fresh.close();
  return {};
}

// An empty file for the part's new bytes: without a name where a single new row allows that, so
// that a crash leaves nothing and the row's folder hands down what it hands down.
Result<void> Change::open_new(Part& part) {
  const bool creates = part.record.kind == StepKind::create;
  Result<Place> row = place_of(part.record.path);
  if (creates && row && sync_each_ && parts_.empty()) {
    part.fresh = kernel::unnamed_file(row->folder);
    part.unnamed = static_cast<bool>(part.fresh);
    if (part.unnamed) return {};
  }
  if (Result<void> chosen = choose_waiting_place(part); !chosen) return chosen;
  constexpr mode_t everyone = 0666;
  constexpr mode_t owner_only = 0600;
  const Place& place = part.ready.place;
  part.fresh = Descriptor(::openat(place.folder,
                                   place.name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                   creates ? everyone : owner_only));
  if (!part.fresh) return failure(errno, "write", part.record.path);
  part.has_temp = true;
  if (creates && row) inherit_group(row->folder, part.fresh.get());
  return {};
}

// In the store, so that nothing ever appears beside the rows; only where that is another file
// system than the row's folder, hidden in that folder.
Result<void> Change::choose_waiting_place(Part& part) {
  const std::string name = kept_name(part.record.change, part.record.step);
  part.ready.place = Place{store_.displaced(), name};
  Result<Place> row = place_of(part.record.path);
  if (row && row->device != store_.device()) {
    part.waits_in_row_folder = true;
    part.ready.place = Place{row->folder, ".notesdb-" + name};
  }
  if (part.record.kind == StepKind::replace || part.record.kind == StepKind::remove) {
    part.record.file = name;
  }
  return {};
}

Result<void> Change::sync_all() {
  if (sync_each_) return {};
  const int error = kernel::sync_file_system(store_.displaced());
  if (error != 0 && error != ENOTSUP) return failure(error, "write", store_name);
  if (error == 0) return {};
  for (const Part& part : parts_) {
    if (!part.has_temp) continue;
    const Descriptor file =
        kernel::open_to_read(part.ready.place.folder, part.ready.place.name.c_str());
    if (const int refused = kernel::sync_file(file.get())) {
      return failure(refused, "write", part.record.path);
    }
  }
  return {};
}

Result<Place> Change::place_of(std::string_view path) {
  if (Result<void> fits = check_writable_folder(path); !fits) return fits.error();
  const std::string_view folder = folder_of(path);
  auto known = folders_.find(folder);
  if (known == folders_.end()) {
    auto opened = kept_.open(folder);
    if (!opened) return opened.error();
    known = folders_.emplace(std::string(folder), std::move(*opened)).first;
  }
  const OpenFolder& opened = *known->second;
  return Place{opened.file.get(), std::string(name_in(path)), opened.device};
}

namespace {

using std::chrono::milliseconds;

// How long a step of a change that is half taken waits for another program to close its row.
constexpr milliseconds patience(2'000);

FileClaim take_claim_patiently(const Place& place, Etag expected) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  FileClaim claim = take_claim(place, expected);
  while (claim.state == GripState::being_written && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(2));
    claim = take_claim(place, expected);
  }
  return claim;
}

bool exists(const Place& place, StatKey* key) {
  struct stat status {};
  if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (key != nullptr) *key = to_file_stat(status).key;
  return true;
}

bool is_folder_step(StepKind kind) {
  return kind == StepKind::create_folder || kind == StepKind::remove_folder;
}

}  // namespace

Result<Verdict> Change::verify() {
  for (Part& part : parts_) {
    Result<Verdict> seen = verify_part(part);
    if (!seen) {
      Error error = seen.error();
      return std::move(error).with("step", static_cast<std::int64_t>(part.step));
    }
    if (*seen == Verdict::being_written) return Verdict::being_written;
  }
  return Verdict::clear;
}

Result<Verdict> Change::verify_part(Part& part) {
  const JournalEntry& record = part.record;
  if (is_folder_step(record.kind)) return Verdict::clear;
  if (record.kind == StepKind::create) return verify_free(record.path, nullptr);
  Result<Place> place = place_of(record.path);
  if (!place) return place.error();
  FileClaim claim = take_claim(*place, *record.old_etag);
  if (claim.state == GripState::being_written) return Verdict::being_written;
  if (claim.state != GripState::held) return claim_failure(claim, record.path);
  part.record.size = claim.key.size;
  if (parts_.size() == 1) only_claim_ = std::move(claim);
  if (record.kind == StepKind::rename) return verify_free(record.new_path, &*place);
  return Verdict::clear;
}

// Whether a new name is free. On a file system that folds names, a row renamed only in case finds
// itself there.
Result<Verdict> Change::verify_free(std::string_view path, const Place* same_as) {
  Result<Place> place = place_of(path);
  if (!place && place.error().code == ErrorCode::unknown_row)
    return Verdict::clear;  // made with it
  if (!place) return place.error();
  StatKey there;
  StatKey self;
  if (!exists(*place, &there)) return Verdict::clear;
  if (same_as != nullptr && exists(*same_as, &self) && self.inode == there.inode &&
      self.device == there.device && folded_name(place->name) == folded_name(same_as->name)) {
    return Verdict::clear;
  }
  Error error = failure(EEXIST, "create", path);
  return std::move(error).with("path", path);
}

Result<void> Change::commit() {
  if (Result<void> recorded = record(); !recorded) return recorded;
  Progress::begin(parts_.size(), "putting files in place");
  for (Part& part : parts_) {
    Result<void> taken = take(part);
    Progress::step();
    if (taken) continue;
    take_back_all();
    is_between_steps_ = false;
    return with_warnings(taken.error(), written_.notes)
        .with("step", static_cast<std::int64_t>(part.step));
  }
  is_between_steps_ = false;
  return {};
}

Result<void> Change::record() {
  std::vector<JournalEntry> records;
  for (const Part& part : parts_)
    records.push_back(part.record);
  if (parts_.size() > 1) {
    if (const int error = write_intent(store_.intent(), store_.word(), records)) {
      return failure(error, "write", ".notesdb/intent/current");
    }
    is_between_steps_ = true;
  }
  // A full disk must not keep anybody from deleting.
  recorded_ = store_.record(to_lines(records), written_.change, bytes_put_aside()) == 0;
  if (!recorded_) {
    written_.notes.emplace_back(
        "the change could not be recorded, so it cannot be undone by its id");
  }
  return {};
}

std::uint64_t Change::bytes_put_aside() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_)
    bytes += part.record.file.empty() ? 0 : blocks_of(part.record.size);
  return bytes;
}

Result<void> Change::take(Part& part) {
  if (part.done) return {};
  Result<void> taken = is_folder_step(part.record.kind)       ? take_folder(part)
                       : part.record.kind == StepKind::create ? take_create(part)
                                                              : take_claimed(part);
  part.done = taken.ok();
  return taken;
}

Result<void> Change::take_folder(Part& part) {
  Result<Place> place = place_of(part.record.path);
  if (!place) return place.error();
  constexpr mode_t everyone = 0777;
  if (part.record.kind == StepKind::create_folder) {
    if (::mkdirat(place->folder, place->name.c_str(), everyone) == 0 || errno == EEXIST) return {};
    return failure(errno, "make", part.record.path);
  }
  // One that is not empty, or gone already, is left in peace.
  ::unlinkat(place->folder, place->name.c_str(), AT_REMOVEDIR);
  return {};
}

Result<void> Change::take_create(Part& part) {
  Result<Place> row = place_of(part.record.path);
  if (!row) return row.error();
  const Place& temp = part.ready.place;
  const int error =
      part.unnamed
          ? kernel::link_unnamed(part.fresh.get(), row->folder, row->name.c_str())
          : kernel::rename_new(temp.folder, temp.name.c_str(), row->folder, row->name.c_str());
  part.fresh.close();
  if (error == 0) return {};
  Error refused = failure(error, "create", part.record.path);
  return std::move(refused).with("path", part.record.path);
}

Result<void> Change::take_claimed(Part& part) {
  const JournalEntry& record = part.record;
  Result<Place> row = place_of(record.path);
  if (!row) return row.error();
  const FileClaim claim = only_claim_.state == GripState::held
                              ? std::exchange(only_claim_, FileClaim{})
                              : take_claim_patiently(*row, *record.old_etag);
  if (claim.state != GripState::held) return claim_failure(claim, record.path);
  Move move;
  if (record.kind == StepKind::replace) {
    move = exchange_claimed(claim, *row, part.ready, written_.notes);
  } else if (record.kind == StepKind::remove) {
    move = move_claimed(claim, *row, part.ready.place, written_.notes);
  } else {
    Result<Place> target = place_of(record.new_path);
    if (!target) return target.error();
    move = rename_claimed(claim, *row, *target, written_.notes);
  }
  switch (move.state) {
    case Moved::done: break;
    case Moved::gone: return conflict(record.path, nullptr);
    case Moved::taken: return failure(EEXIST, "create", record.new_path);
    case Moved::failed: return failure(move.error, "write", record.path);
    case Moved::disturbed: {
      const FileClaim now = take_claim(*row, Etag{});
      return conflict(record.path, now.state == GripState::changed ? &now.etag : nullptr);
    }
  }
  if (part.waits_in_row_folder) keep_elsewhere(part);
  return {};
}

// The version put aside lies hidden beside the row, because the store is on another file system.
void Change::keep_elsewhere(Part& part) {
  const Place& beside = part.ready.place;
  const Descriptor from = kernel::open_to_read(beside.folder, beside.name.c_str());
  constexpr mode_t owner_only = 0600;
  const Descriptor copy(::openat(store_.displaced(),
                                 part.record.file.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 owner_only));
  std::string bytes;
  std::vector<std::string> unsaid;
  const bool is_read = from && copy && read_whole(from.get(), max_file + 1, bytes) == 0;
  if (is_read) carry_attributes(from.get(), copy.get(), unsaid);
  if (!is_read || write_whole(copy.get(), bytes) != 0) {
    written_.notes.push_back(
        "the previous version could not be moved to the trash and is hidden as '" + beside.name +
        "' beside '" + part.record.path + "'");
    return;
  }
  ::unlinkat(beside.folder, beside.name.c_str(), 0);
}

void Change::sync_folders() {
  for (const auto& [path, folder] : folders_) {
    if (kernel::sync_folder(folder->file.get()) != 0) written_.durable = false;
  }
  if (!written_.durable) {
    written_.notes.emplace_back("written, but not durable: fsync of the folder failed");
  }
  if (parts_.size() > 1) remove_intent(store_.intent());
  waiting_.remove();
}

namespace {

std::string left_note(std::string_view path) {
  return quoted(path) + " could not be taken back; another program may have changed it since";
}

}  // namespace

void Change::take_back_all() {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    // Twice, so that an error of a moment leaves no half of a change.
    if (part->done && !take_back(*part) && !take_back(*part)) {
      written_.notes.push_back(left_note(part->record.path));
    }
  }
  if (recorded_) store_.record(to_void_line(written_.change));
  if (parts_.size() > 1) {
    for (const auto& [path, folder] : folders_)
      kernel::sync_folder(folder->file.get());
    remove_intent(store_.intent());
  }
}

bool Change::take_back(Part& part) {
  Result<Place> row = place_of(part.record.path);
  if (!row) return false;
  constexpr mode_t everyone = 0777;
  const Place& waiting = part.ready.place;
  switch (part.record.kind) {
    case StepKind::create:
    case StepKind::replace:
    case StepKind::rename: return take_back_claimed(part);
    case StepKind::remove:
      if (kernel::rename_new(
              waiting.folder, waiting.name.c_str(), row->folder, row->name.c_str()) != 0) {
        return false;
      }
      break;
    case StepKind::create_folder: ::unlinkat(row->folder, row->name.c_str(), AT_REMOVEDIR); break;
    case StepKind::remove_folder: ::mkdirat(row->folder, row->name.c_str(), everyone); break;
  }
  part.done = false;
  return true;
}

// Our own new version goes, but only if nobody has changed it since: by the same verify-after.
bool Change::take_back_claimed(Part& part) {
  const JournalEntry& record = part.record;
  const bool renamed = record.kind == StepKind::rename;
  Result<Place> row = place_of(record.path);
  Result<Place> now = place_of(renamed ? record.new_path : record.path);
  if (!row || !now) return false;
  const FileClaim claim = take_claim(*now, renamed ? *record.old_etag : *record.new_etag);
  Move move{Moved::disturbed};
  if (claim.state == GripState::held && renamed) {
    move = move_claimed(claim, *now, *row, written_.notes);
  } else if (claim.state == GripState::held && record.kind == StepKind::replace) {
    Ready before = part.ready;
    struct stat status {};
    if (::fstatat(before.place.folder, before.place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) ==
        0) {
      before.key = to_file_stat(status).key;
    }
    before.etag = *record.old_etag;
    move = exchange_claimed(claim, *row, before, written_.notes);
  } else if (claim.state == GripState::held) {
    if (part.ready.place.name.empty()) {
      part.ready.place = Place{store_.displaced(), kept_name(record.change, record.step)};
    }
    move = move_claimed(claim, *row, part.ready.place, written_.notes);
    part.has_temp = move.state == Moved::done;
  }
  if (move.state != Moved::done) return false;
  // What lies at the waiting place now is ours again, and goes with this object.
  part.done = false;
  return true;
}

namespace {

// The etag of what lies at a place now; empty if there is no readable file.
std::optional<Etag> etag_at(const Place& place) {
  const Descriptor file = kernel::open_to_read(place.folder, place.name.c_str());
  struct stat status {};
  std::string bytes;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (read_whole(file.get(), max_file + 1, bytes) != 0) return std::nullopt;
  return etag_of(bytes);
}

bool is_there(const Place& place) {
  struct stat status {};
  return ::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

Result<void> Change::adopt(const std::vector<JournalEntry>& steps) {
  written_.change = steps.front().change;
  for (const JournalEntry& step : steps) {
    Part part;
    part.record = step;
    if (Result<void> chosen = choose_waiting_place(part); !chosen) return chosen;
    part.ready.etag = step.new_etag.value_or(Etag{});
    struct stat status {};
    const Place& place = part.ready.place;
    if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      part.ready.key = to_file_stat(status).key;
    }
    parts_.push_back(std::move(part));
  }
  return {};
}

Result<Change::State> Change::state_of(Part& part) {
  const JournalEntry& record = part.record;
  if (record.kind == StepKind::create_folder || record.kind == StepKind::remove_folder) {
    return State::before;  // taking it twice does no harm
  }
  Result<Place> row = place_of(record.path);
  if (!row && record.kind == StepKind::create) return State::before;
  if (!row) return State::strange;
  const std::optional<Etag> now = etag_at(*row);
  const std::optional<Etag> waiting = etag_at(part.ready.place);
  switch (record.kind) {
    case StepKind::create:
      if (now == record.new_etag && !waiting) return State::after;
      if (now || is_there(*row)) return State::strange;
      return waiting == record.new_etag ? State::before : State::not_ready;
    case StepKind::replace:
      if (now == record.new_etag) return State::after;
      if (now != record.old_etag) return State::strange;
      return waiting == record.new_etag ? State::before : State::not_ready;
    case StepKind::remove:
      if (now == record.old_etag) return State::before;
      return is_there(*row) ? State::strange : State::after;
    case StepKind::rename: {
      Result<Place> target = place_of(record.new_path);
      if (now == record.old_etag) return State::before;
      const bool arrived = target && etag_at(*target) == record.old_etag;
      return !is_there(*row) && arrived ? State::after : State::strange;
    }
    case StepKind::create_folder:
    case StepKind::remove_folder: break;
  }
  return State::strange;
}

// What waits to become a row is as runnable as the row that it replaces, and no more.
Result<void> Change::limit_mode(const Part& part) {
  const JournalEntry& record = part.record;
  if (part.done || (record.kind != StepKind::create && record.kind != StepKind::replace)) return {};
  const Descriptor waiting =
      kernel::open_to_read(part.ready.place.folder, part.ready.place.name.c_str());
  struct stat ready {};
  if (!waiting || ::fstat(waiting.get(), &ready) != 0) return failure(errno, "read", record.path);
  mode_t allowed = 0666;
  struct stat there {};
  const Result<Place> row = place_of(record.path);
  if (record.kind == StepKind::replace && row &&
      ::fstatat(row->folder, row->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0)
    allowed |= there.st_mode & 0777U;
  const mode_t mode = ready.st_mode & 07777U;
  if ((mode & ~allowed) == 0) return {};
  if (::fchmod(waiting.get(), mode & allowed) != 0) return failure(errno, "write", record.path);
  return {};
}

Result<Resumed> Change::resume(const std::vector<JournalEntry>& steps) {
  for (const JournalEntry& step : steps) {
    if (Result<void> fits = check_writable_step(step.kind, step.path, step.new_path); !fits)
      return fits.error();
  }
  if (Result<void> adopted = adopt(steps); !adopted) return adopted.error();
  bool begun = false;
  bool ready = true;
  for (Part& part : parts_) {
    const Result<State> state = state_of(part);
    if (!state) return state.error();
    if (*state == State::strange) return conflict(part.record.path, nullptr);
    part.done = *state == State::after;
    begun = begun || part.done;
    ready = ready && *state != State::not_ready;
  }
  if (!ready && begun) return conflict(parts_.front().record.path, nullptr);
  if (!ready) {
    store_.record(to_void_line(written_.change));
    remove_intent(store_.intent());
    return Resumed::dropped;
  }
  std::string journal;
  read_journal(store_.displaced(), store_.word(), journal);
  if (!JournalReader(journal).find(written_.change))
    store_.record(to_lines(steps), written_.change, bytes_put_aside());
  recorded_ = true;
  for (Part& part : parts_) {
    if (Result<void> limited = limit_mode(part); !limited) return limited.error();
    if (Result<void> taken = take(part); !taken) return taken.error();
  }
  sync_folders();
  return Resumed::finished;
}

}  // namespace notesdb
