#include "index/row_cache.h"

#include <algorithm>
#include <utility>

#include "core/budget.h"
#include "core/text.h"
#include "core/threads.h"
#include "files/file_system.h"
#include "files/names.h"

namespace notesdb {

namespace {

// Below this reading the files costs no more than verifying an index.
constexpr std::size_t min_rows_saved = 256;
constexpr std::size_t few_rows = 64;
// How long a change waits for questions under way before it is made in a copy of the table.
constexpr std::chrono::milliseconds patience{5};

// Whether the schema file, read once more, has the bytes that the folder was made of. Reading them
// takes a thousandth of saying what they mean, and a question that follows relations asks for each.
bool has_read_bytes(const FileSystem& files, const DatabaseFolder& folder) {
  const auto path = DatabaseFolder::find_schema_file(files, folder.id());
  if (path != folder.schema_path()) return false;
  const auto bytes = files.read(*path);
  return bytes && bytes->etag == folder.schema_etag();
}

}  // namespace

RowCache::RowCache(const FileSystem& files, std::string database_id, Memory memory)
    : files_(files), id_(std::move(database_id)), memory_(std::move(memory)) {
  if (!memory_.remember) memory_.follower = nullptr;
}

RowCache::~RowCache() {
  stop_following();
}

bool RowCache::is_schema_unchanged() const {
  if (!memory_.remember || !folder_ || !schema_sure_) return false;
  const auto found = files_.stat(folder_->schema_path());
  if (!found || found->kind != FileKind::regular || found->key != folder_->schema_key())
    return false;
  // _schema.md comes before _schema.yaml, so one that appears there takes its place.
  return folder_->schema_path().ends_with(".md") ||
         DatabaseFolder::find_schema_file(files_, id_) == folder_->schema_path();
}

Result<std::shared_ptr<const DatabaseFolder>> RowCache::folder() {
  note_changes();
  if (is_following_ && folder_ && !is_schema_noted_) return folder_;
  is_schema_noted_ = false;  // what happens from here on is noted again
  if (is_schema_unchanged()) return folder_;
  if (!memory_.remember && folder_ && has_read_bytes(files_, *folder_)) {
    forget_rows();
    return folder_;
  }
  const std::int64_t begun_at = clock_ns();
  auto read = DatabaseFolder::read(files_, id_);
  if (!read) {
    folder_.reset();
    forget_rows();
    return read;
  }
  schema_sure_ = is_sure((*read)->schema_key(), begun_at);
  const bool reads_the_same = memory_.remember && folder_ &&
                              folder_->reading_etag() == (*read)->reading_etag() &&
                              folder_->schema_path() == (*read)->schema_path();
  const bool same = reads_the_same && folder_->schema_etag() == (*read)->schema_etag();
  if (same && !schema_sure_) return folder_;
  // The table continues with the folder that it was made with, which reads its rows the same.
  if (!reads_the_same) forget_rows();
  folder_ = std::move(*read);
  return folder_;
}

bool RowCache::are_names_unchanged() const {
  if (!table_ || !names_sure_) return false;
  return std::all_of(folders_.begin(), folders_.end(), [&](const RowListing::Folder& listed) {
    const auto found = files_.stat(folder_->full_path(listed.path));
    return found && found->key == listed.key;
  });
}

Result<void> RowCache::list() {
  const std::int64_t begun_at = clock_ns();
  auto listing = folder_->list_rows(files_);
  if (!listing) return listing.error();
  make_exclusive();
  table_->take_listing(*listing);
  names_sure_ = std::all_of(listing->folders.begin(), listing->folders.end(), [&](const auto& f) {
    return is_sure(f.key, begun_at);
  });
  folders_ = std::move(listing->folders);
  listing_issues_ = std::move(listing->issues);
  return {};
}

std::string RowCache::index_key() const {
  return memory_.root_key + '\0' + id_ + '\0' + folder_->schema_path() + '\0' + NOTESDB_VERSION;
}

void RowCache::load_index() {
  if (memory_.index_path.empty()) return;
  auto index = IndexFile::open(memory_.index_path, folder_->reading_etag(), index_key());
  if (!index) return;
  auto table = std::make_shared<RowTable>(files_, folder_);
  TextReader state(index->text(IndexSection::state));
  // It is said there, since a look at all rows would be needed to see it.
  if (const bool is_worn = state.number() != 0; is_worn) return;
  names_sure_ = state.number() != 0;
  std::vector<RowListing::Folder> folders;
  const std::int64_t folder_count = state.number();
  for (std::int64_t i = 0; i < folder_count && state.is_whole(); ++i) {
    folders.push_back(take_folder(state));
  }
  std::vector<Issue> issues;
  const std::int64_t issue_count = state.number();
  for (std::int64_t i = 0; i < issue_count && state.is_whole(); ++i) {
    issues.push_back(take_issue(state));
  }
  if (!table->load_state(state) || !table->map(std::move(index))) return;
  table_ = std::move(table);
  folders_ = std::move(folders);
  listing_issues_ = std::move(issues);
  is_saved_ = true;
  read_since_saved_ = 0;
}

// Rows that changed since are read again by every command, which costs less than a new file as long
// as they are few. A row that is not sure yet would be read again anyway.
bool RowCache::pays_to_save(bool names_changed) const {
  const std::size_t rows = table_->row_count();
  if (memory_.index_path.empty()) return false;
  if (rows < min_rows_saved) return false;
  if (is_saved_ && read_since_saved_ <= few_rows + rows / 256) return names_changed && names_sure_;
  return table_->unsure_count() <= rows / 2;
}

void RowCache::save_index() {
  TextWriter state;
  state.put(std::int64_t{table_->is_worn()});
  state.put(std::int64_t{names_sure_});
  state.put(static_cast<std::int64_t>(folders_.size()));
  for (const RowListing::Folder& folder : folders_)
    put_folder(folder, state);
  state.put(static_cast<std::int64_t>(listing_issues_.size()));
  for (const Issue& issue : listing_issues_)
    put_issue(issue, state);
  IndexWriter writer;
  make_exclusive();
  table_->save(writer, state);
  writer.add_text(IndexSection::key, index_key());
  writer.add_text(IndexSection::state, state.take());
  is_saved_ = writer.write(memory_.index_path, folder_->reading_etag());
  // Where it cannot be written it is not tried again for every question.
  if (!is_saved_) memory_.index_path.clear();
  read_since_saved_ = 0;
}

void RowCache::forget() {
  folder_.reset();
  forget_rows();
}

void RowCache::forget_rows() {
  stop_following();
  table_.reset();
}

Result<TableLease<RowTable>> RowCache::lease(expression::Date now) {
  const auto fresh = rows();
  if (!fresh) return fresh.error();
  if (!table_->keeps_day(now)) {
    make_exclusive();
    table_->forget_days(now);
  }
  return TableLease<RowTable>(table_);
}

// Before the table is changed.
void RowCache::make_exclusive() {
  if (table_ && !table_->readers().wait_until_none(patience)) table_ = table_->copy();
}

thread_local constinit std::optional<OneQuestion::Clock::time_point> OneQuestion::begun_{};

Result<const RowTable*> RowCache::rows() {
  if (!memory_.remember) table_.reset();
  const bool is_seen = table_ && memory_.follower == nullptr && OneQuestion::has_seen(last_look_);
  if (is_seen) return static_cast<const RowTable*>(table_.get());
  return table_ && is_following_ && !is_look_due_ ? look_at_noted() : look_at_all();
}

Result<void> RowCache::read_stale_rows() {
  const auto stale = table_->find_stale();
  if (!stale) return stale.error();
  if (!stale->empty()) make_exclusive();
  return table_->read_rows(*stale);
}

Result<const RowTable*> RowCache::look_at_all() {
  const BudgetPause for_everybody;
  const auto begun = Clock::now();
  noted_.clear();
  if (table_ && table_->is_worn()) table_.reset();
  if (!table_ && memory_.remember) {
    is_saved_ = false;
    load_index();
  }
  const bool names_changed = !are_names_unchanged();
  if (names_changed || !table_->are_unreadable_unchanged()) {
    if (!table_) table_ = std::make_shared<RowTable>(files_, folder_);
    if (auto done = list(); !done) return done.error();
  }
  // A process that stays must not lean on a file that others may cut short.
  if (memory_.follower != nullptr && !table_->is_own()) {
    make_exclusive();
    table_->own();
  }
  if (auto done = follow_folders(); !done) return done.error();
  if (auto done = read_stale_rows(); !done) {
    forget_rows();  // half of a reading is none
    return done.error();
  }
  noted_.insert(table_->unsettled().begin(), table_->unsettled().end());
  last_look_ = begun;
  rescan_from_start();
  is_look_due_ = false;
  read_since_saved_ += table_->read_count();
  if (memory_.remember && pays_to_save(names_changed)) save_index();
  return static_cast<const RowTable*>(table_.get());
}

// How a RowCache follows its folders by what the kernel notes.

namespace {

// Below the two seconds within which a store that the kernel does not note must be seen.
constexpr std::chrono::milliseconds longest_trust{1900};
constexpr std::chrono::milliseconds between_rescans{700};
constexpr int max_attempts = 3;
constexpr std::uint32_t swept_at_once = 512;
// So many calls of rescan() look at all rows, however many these are.
constexpr std::uint32_t rescans_of_all = 4;

bool is_same_folder(const StatKey& a, const StatKey& b) {
  return a.device == b.device && a.inode == b.inode;
}

}  // namespace

void RowCache::stop_following() {
  if (memory_.follower != nullptr) memory_.follower->leave(this);
  is_following_ = false;
  is_schema_noted_ = true;
  is_look_due_ = true;
  noted_.clear();
  followed_.clear();
}

void RowCache::note_changes() {
  if (!is_following_) return;
  if (!is_in_place()) return stop_following();
  const Changes changes = memory_.follower->take(this);
  if (changes.overflow) return stop_following();
  for (const ChangedName& changed : changes.names) {
    if (changed.name.empty()) return stop_following();  // the folder went away
    note(changed);
  }
  if (Clock::now() - last_look_ < longest_trust) return;
  is_look_due_ = true;
  is_schema_noted_ = true;
}

// The database's folder itself tells when it is moved, and the root is held open. Folders between
// them are not watched: if one is renamed, another folder may be here.
bool RowCache::is_in_place() {
  if (id_.find('/') == std::string::npos) return true;
  const auto here = files_.stat(id_);
  return here && is_same_folder(here->key, followed_[""]);
}

void RowCache::note(const ChangedName& changed) {
  if (changed.folder == id_) {
    if (is_schema_name(changed.name)) is_schema_noted_ = true;
    noted_.insert(noted_.end(), changed.name);  // they come in order
    return;
  }
  const std::string path = join_path(changed.folder, changed.name);
  noted_.insert(id_ == "." ? path : path.substr(id_.size() + 1));
}

RowCache::Touch RowCache::touch_of(const std::string& path) const {
  const RowNames& names = folder_->names();
  // Whatever has an issue by its name is resolved by a listing.
  if (!listing_issues_.empty()) {
    const std::string full = to_utf8(folder_->full_path(path));
    for (const Issue& issue : listing_issues_) {
      if (issue.path == full || issue.rule == "id") return Touch::names;
    }
  }
  const FileRole role = names.role_of(path);
  if (role == FileRole::row) return Touch::row;
  if (role == FileRole::conflict_copy || !is_utf8(path)) return Touch::names;
  if (is_schema_name(path)) return Touch::nothing;
  if (is_schema_name(name_in(path)) || followed_.contains(path)) return Touch::names;
  if (!names.enters(path)) return Touch::nothing;
  const auto found = files_.stat(folder_->full_path(path));
  return found && found->kind != FileKind::folder ? Touch::nothing : Touch::names;
}

Result<const RowTable*> RowCache::look_at_noted() {
  if (noted_.empty()) return static_cast<const RowTable*>(table_.get());
  const BudgetPause for_everybody;
  std::vector<std::string> rows;
  bool is_enough = true;
  for (const std::string& path : noted_) {
    const Touch touch = touch_of(path);
    if (touch == Touch::row) rows.push_back(path);
    if (touch == Touch::names) is_enough = false;
  }
  noted_.clear();
  if (is_enough) {
    const std::uint32_t count = table_->row_count();
    if (!rows.empty()) make_exclusive();
    const auto done = table_->update(std::move(rows));
    if (!done) {
      forget_rows();
      return done.error();
    }
    read_since_saved_ += table_->read_count();
    if (table_->row_count() < count) rescan_from_before(count - table_->row_count());
    noted_.insert(table_->unsettled().begin(), table_->unsettled().end());
    is_enough = *done;
  }
  if (is_enough) return static_cast<const RowTable*>(table_.get());
  names_sure_ = false;
  return look_at_all();
}

// The names were listed before their folders were watched, so they are looked at once more; and a
// folder that was watched may not be the one that was listed.
Result<void> RowCache::follow_folders() {
  if (memory_.follower == nullptr) return {};
  is_following_ = false;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto complete = follow_listed();
    if (!complete) {
      stop_following();
      // What cannot be watched now is looked at from now on.
      if (complete.error().code != ErrorCode::unknown_row) memory_.follower = nullptr;
      return {};
    }
    if (*complete) {
      is_following_ = true;
      return {};
    }
    if (are_names_unchanged()) continue;
    if (auto done = list(); !done) return done;
  }
  return {};
}

Result<bool> RowCache::follow_listed() {
  bool complete = true;
  for (const RowListing::Folder& folder : folders_) {
    const auto known = followed_.find(folder.path);
    if (known != followed_.end() && is_same_folder(known->second, folder.key)) continue;
    const auto key = memory_.follower->follow(this, folder_->full_path(folder.path));
    if (!key) return key.error();
    followed_[folder.path] = *key;
    is_schema_noted_ = true;  // it was read before its folder was watched
    complete = false;
  }
  return complete;
}

// Rows that are looked at while the cache may be asked.
struct RowCache::SweptRows {
  RowLook look;
  std::uint32_t share = 0;  // of one call of rescan()
  std::uint64_t number = 0;
};

void RowCache::rescan() {
  for (std::uint32_t done = 0;; done += swept_at_once) {
    const auto swept = next_swept_rows();
    if (!swept || done > swept->share) return;
    const auto stale = swept->look.stale(files_, id_);
    if (!stale || !take_swept(*swept, *stale)) return;
  }
}

std::optional<RowCache::SweptRows> RowCache::next_swept_rows() {
  const ForgettingLock guard(*this);
  if (!is_following_ || !table_ || is_look_due_) return std::nullopt;
  if (next_swept_ == 0) {
    if (Clock::now() - last_look_ < between_rescans) return std::nullopt;
    rescan_begun_ = Clock::now();
    is_schema_noted_ = true;
    for (std::string& path : table_->stale_unreadable())
      noted_.insert(std::move(path));
  }
  return SweptRows{table_->look_at(next_swept_, swept_at_once),
                   table_->row_count() / rescans_of_all,
                   rescan_number_};
}

// Whether rows are left to look at.
bool RowCache::take_swept(const SweptRows& swept, const std::vector<std::string>& stale) {
  const ForgettingLock guard(*this);
  if (!is_following_ || swept.number != rescan_number_) return false;
  noted_.insert(stale.begin(), stale.end());
  next_swept_ += swept_at_once;
  if (next_swept_ < table_->row_count()) return true;
  rescan_from_start();
  last_look_ = rescan_begun_;
  is_look_due_ = table_->is_worn();  // which a look at all rows fixes
  return false;
}

// Rows that are not looked at yet may stand this far before where they stood; rows that are new only
// move others behind. Where every write began the look again, it would never come to its end.
void RowCache::rescan_from_before(std::uint32_t dropped) {
  next_swept_ -= std::min(next_swept_, dropped);
  ++rescan_number_;
}

void RowCache::rescan_from_start() {
  next_swept_ = 0;
  ++rescan_number_;
}

}  // namespace notesdb
