#include "files/change.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/attributes.h"
#include "files/failure.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/untold_warnings.h"

namespace notesdb {
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
  for (Part& part : parts_) {
    Result<void> taken = take(part);
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

}  // namespace notesdb
