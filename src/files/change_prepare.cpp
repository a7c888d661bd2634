#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/attributes.h"
#include "files/change.h"
#include "files/change_id.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/step_check.h"
#include "files/writable_path.h"

namespace notesdb {
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
  for (std::size_t i = 0; i < steps.size(); ++i) {
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

}  // namespace notesdb
