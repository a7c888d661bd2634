#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "files/change.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/writable_path.h"

namespace notesdb {
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
