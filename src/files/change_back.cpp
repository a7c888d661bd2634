#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change.h"
#include "files/failure.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/kernel.h"

namespace notesdb {
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

}  // namespace notesdb
