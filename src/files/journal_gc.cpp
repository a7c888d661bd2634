#include "files/journal_gc.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/etag.h"
#include "files/file_claim.h"
#include "files/intent.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/writable_path.h"

namespace notesdb {
namespace {

constexpr std::int64_t hour_us = std::int64_t{60} * 60 * 1'000'000;
constexpr std::int64_t day_us = 24 * hour_us;
constexpr std::size_t newest_kept = 10;
constexpr std::uint64_t max_journal = std::uint64_t{64} << 20U;
constexpr std::uint64_t min_journal_growth = std::uint64_t{8} << 20U;
constexpr std::string_view ours_line = "\tours\n";
constexpr const char* fresh_name = "journal.new";

// What is aimed at lies well below what makes a collection due, so that none follows at once.
std::uint64_t due_at(std::uint64_t limit) {
  return limit - limit / 8;
}
std::uint64_t goal_of(std::uint64_t limit) {
  return limit - limit / 4;
}

std::uint64_t length_at(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

bool is_kept_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  return tab != std::string_view::npos && line.substr(tab).starts_with("\tkept\t");
}

// Calls take(line with its end) for each, in order.
template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    take(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string without_kept_lines(std::string_view text) {
  std::string lines;
  for_each_line(text, [&](std::string_view line) {
    if (!is_kept_line(line)) lines += line;
  });
  return lines;
}

}  // namespace

TrashState trash_state(Store& store, const TrashLimits& limits, std::int64_t now_us) {
  if (!store.is_ours()) return {};
  JournalFile& journal = store.journal();
  const std::optional<TrashSize> size = store.trash_size();
  const std::uint64_t length = journal.length();
  if (!size) return {0, length > 0, false};
  TrashState state{size->bytes + length};
  const std::uint64_t grown = state.kept - std::min(state.kept, size->collected);
  const bool is_large = state.kept > due_at(limits.bytes) && grown > limits.bytes / 16;
  const bool is_long = length > max_journal && grown > min_journal_growth;
  const std::optional<std::int64_t> oldest = journal.oldest_us();
  const bool is_old = oldest && now_us - *oldest > limits.keep_us + hour_us;
  state.is_gc_due = is_large || is_long || is_old;
  state.is_collected = grown == 0 && !is_old;
  return state;
}

JournalGc::JournalGc(const Root& root,
                     std::shared_ptr<Store> store,
                     const TrashLimits& limits,
                     std::int64_t now_us)
    : root_(root), store_(std::move(store)), limits_(limits), now_us_(now_us) {}

bool JournalGc::run(const Lock& lock, Clock::time_point deadline) {
  if (!has_begun_) {
    has_begun_ = true;
    if (!begin()) return true;
  }
  do {
    if (forget_next()) continue;
    forget_strays();
    finish(lock);
    return true;
  } while (Clock::now() < deadline);
  return false;
}

bool JournalGc::begin() {
  if (!store_->is_ours() || !claim()) return false;
  struct stat status {};
  if (::fstatat(store_->displaced(), journal_name.data(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  journal_ = to_file_stat(status).key;
  const int error = read_journal(store_->displaced(), store_->word(), text_, &read_from_);
  if (error != 0 || text_.empty()) return false;  // none of ours
  // Where a line is being appended now, its end is seen when the journals are exchanged.
  text_.resize(text_.rfind('\n') + 1);
  read_entries();
  weigh_entries();
  choose();
  return true;
}

bool JournalGc::claim() {
  constexpr mode_t owner_only = 0600;
  const int folder = store_->displaced();
  fresh_ = Descriptor(
      ::openat(folder, fresh_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, owner_only));
  struct stat ours {};
  struct stat there {};
  return fresh_ && ::flock(fresh_.get(), LOCK_EX | LOCK_NB) == 0 &&
         ::fstat(fresh_.get(), &ours) == 0 &&
         ::fstatat(folder, fresh_name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev &&
         ::ftruncate(fresh_.get(), 0) == 0;
}

void JournalGc::read_entries() {
  std::set<std::string_view> voided;
  for_each_line(text_, [&](std::string_view line) {
    const std::string_view id = line.substr(0, line.find('\t'));
    const std::optional<std::int64_t> time = time_of_change(id);
    if (!time) return;
    if (line.substr(id.size()) == "\tvoid\n") voided.insert(id);
    const bool is_ours = line.substr(id.size()) == ours_line;
    Entry* last = entries_.empty() ? nullptr : &entries_.back();
    if (last == nullptr || last->id != id || last->text.end() != line.begin())
      last = &entries_.emplace_back(Entry{id, *time, line});
    else
      last->text = {last->text.data(), last->text.size() + line.size()};
    last->is_ours = last->is_ours || is_ours;
  });
  std::int64_t made = now_us_;  // no change is newer than one after it, whatever its id says
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    made = std::min(made, entry->time_us);
    entry->time_us = made;
    entry->is_void = voided.count(entry->id) > 0;
  }
}

// What is known of the paths that the changes so far have named.
class JournalGc::Pins {
 public:
  // Whether the step put aside a version that must be kept: the oldest of its path, or one that
  // another program wrote.
  bool pins(const JournalEntry& step, bool is_ours) {
    State& state = by_path_[step.path];
    const bool puts_aside = !step.file.empty();
    const bool is_others = !is_ours && state.is_written && state.etag != step.old_etag;
    const bool is_pinned = puts_aside && (!state.is_put_aside || is_others);
    state.is_put_aside = state.is_put_aside || puts_aside;
    state.is_written = true;
    state.etag = step.new_etag;
    if (step.kind == StepKind::rename) {
      State& target = by_path_[step.new_path];
      target.is_written = true;
      target.etag = step.old_etag;
    }
    return is_pinned;
  }

 private:
  struct State {
    bool is_put_aside = false;
    bool is_written = false;
    std::optional<Etag> etag;  // as our last change left it
  };
  std::map<std::string, State> by_path_;
};

std::uint64_t JournalGc::bytes_of(const PastChange& change) const {
  std::uint64_t bytes = 0;
  for (const JournalEntry& step : change.steps) {
    if (step.file.empty()) continue;
    const std::uint64_t size =
        step.size > 0 ? step.size : length_at(store_->displaced(), step.file.c_str());
    bytes += blocks_of(size);
  }
  return bytes;
}

void JournalGc::weigh_entries() {
  Pins pins;
  for (Entry& entry : entries_) {
    const bool is_old = now_us_ - entry.time_us > limits_.keep_us;
    entry.is_forgotten = entry.is_void || is_old;
    if (entry.is_forgotten) continue;
    const std::optional<PastChange> change = JournalReader(entry.text).next();
    if (!change) continue;
    entry.bytes = bytes_of(*change);
    for (const JournalEntry& step : change->steps) {
      if (pins.pins(step, entry.is_ours)) entry.is_pinned = true;
    }
  }
  // What is not finished yet is nobody's to forget.
  const std::vector<JournalEntry> unfinished = read_intent(store_->intent(), store_->word()).steps;
  for (Entry& entry : entries_) {
    if (!unfinished.empty() && entry.id == unfinished.front().change) {
      entry.is_forgotten = false;
      entry.is_pinned = true;
    }
  }
}

void JournalGc::choose() {
  std::uint64_t bytes = 0;
  std::uint64_t length = head_line(store_->word()).size();
  for (const Entry& entry : entries_) {
    bytes += entry.is_forgotten ? 0 : entry.bytes;
    length += entry.is_forgotten ? 0 : entry.text.size();
  }
  const bool is_large = bytes + length > due_at(limits_.bytes);
  const bool is_long = length > max_journal;
  const std::size_t end = entries_.size() - std::min(entries_.size(), newest_kept);
  for (std::size_t i = 0; i < end; ++i) {
    Entry& entry = entries_[i];
    const bool too_large = is_large && bytes + length > goal_of(limits_.bytes) && entry.bytes > 0;
    const bool too_long = is_long && length > goal_of(max_journal);
    if (entry.is_forgotten || entry.is_pinned || (!too_large && !too_long)) continue;
    entry.is_forgotten = true;
    bytes -= entry.bytes;
    length -= entry.text.size();
  }
}

// Removes a version, unless somebody wrote to it after it was put aside.
void JournalGc::forget(const JournalEntry& step) const {
  if (step.file.empty()) return;
  const int displaced = store_->displaced();
  const Descriptor file = kernel::open_to_read(displaced, step.file.c_str());
  if (!file) return;
  std::string bytes;
  if (read_whole(file.get(), max_file + 1, bytes) != 0) return;
  const Etag now = etag_of(bytes);
  if (now == step.old_etag || now == step.new_etag) {
    ::unlinkat(displaced, step.file.c_str(), 0);
    return;
  }
  const Result<Descriptor> folder = check_writable_path(step.path)
                                        ? root_.open_folder(folder_of(step.path))
                                        : Result<Descriptor>(Descriptor());
  std::vector<std::string> unsaid;
  const bool is_there = folder && *folder;
  const Place row{is_there ? folder->get() : -1, std::string(name_in(step.path))};
  forbid_running(file.get());
  if (is_there && set_aside(Place{displaced, step.file}, row, unsaid)) return;
  // The folder is gone: the file stays in the store under a name that nobody forgets.
  const std::string late = "late." + step.file;
  ::renameat(displaced, step.file.c_str(), displaced, late.c_str());
}

// The next version of what is to be forgotten. False: there is none.
bool JournalGc::forget_next() {
  while (!going_ || next_step_ >= going_->steps.size()) {
    going_.reset();
    next_step_ = 0;
    while (next_ < entries_.size() && (!entries_[next_].is_forgotten || entries_[next_].is_void))
      ++next_;
    if (next_ == entries_.size()) return false;
    going_ = JournalReader(entries_[next_++].text).next();
  }
  forget(going_->steps[next_step_++]);
  return true;
}

// Files of the store that no change speaks of: a process died while it prepared them.
void JournalGc::forget_strays() const {
  std::set<std::string_view> known;
  for (const Entry& entry : entries_)
    known.insert(entry.id);
  const int copy = ::openat(store_->displaced(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) return;
  std::vector<std::string> strays;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = static_cast<const char*>(entry->d_name);
    const std::string_view id = name.substr(0, name.find('.'));
    const std::optional<std::int64_t> made = time_of_change(id);
    if (made && now_us_ - *made > day_us && known.count(id) == 0) strays.emplace_back(name);
  }
  ::closedir(stream);
  for (const std::string& name : strays)
    ::unlinkat(store_->displaced(), name.c_str(), 0);
}

// The lines that stay, of what was read. Answers with errno.
int JournalGc::write_rest() const {
  std::string lines = head_line(store_->word());
  for (const Entry& entry : entries_) {
    if (entry.is_forgotten) continue;
    lines += without_kept_lines(entry.text);
    // Once the change before it is gone, nothing else tells.
    if (!entry.is_pinned && !entry.is_ours) lines += std::string(entry.id) + std::string(ours_line);
  }
  const int error = write_whole(fresh_.get(), lines);
  return error != 0 ? error : kernel::sync_file(fresh_.get());
}

void JournalGc::finish(const Lock& lock) {
  if (write_rest() != 0) return;
  const Result<HeldLock> held = lock();
  if (!held) return;
  const int folder = store_->displaced();
  const Descriptor old(::openat(folder, journal_name.data(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!old || ::fstat(old.get(), &status) != 0) return;
  if (!begins_with_word(old.get(), store_->word())) return;
  const StatKey now = to_file_stat(status).key;
  const std::uint64_t read_to = read_from_ + text_.size();
  if (now.inode != journal_.inode || now.device != journal_.device || now.size < read_to) return;
  // What was appended meanwhile.
  std::string tail(now.size - read_to, '\0');
  if (::pread(old.get(), tail.data(), tail.size(), static_cast<off_t>(read_to)) !=
      static_cast<ssize_t>(tail.size())) {
    return;
  }
  TrashSize size;
  for (const Entry& entry : entries_)
    size.bytes += entry.is_forgotten ? 0 : entry.bytes;
  JournalReader newer(tail);
  while (const std::optional<PastChange> change = newer.next())
    size.bytes += bytes_of(*change);
  const std::string lines = without_kept_lines(tail);
  const std::uint64_t length = static_cast<std::uint64_t>(::lseek(fresh_.get(), 0, SEEK_CUR));
  // The line counts itself, so that what is kept is what was collected until more comes.
  const std::uint64_t rest = size.bytes + length + lines.size();
  size.collected = rest + to_kept_line("-", size).size();
  while (rest + to_kept_line("-", size).size() != size.collected)
    size.collected = rest + to_kept_line("-", size).size();
  if (write_whole(fresh_.get(), lines + to_kept_line("-", size)) != 0) return;
  ::renameat(folder, fresh_name, folder, journal_name.data());
}

}  // namespace notesdb
