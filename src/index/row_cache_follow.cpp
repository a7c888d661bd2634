// How a RowCache follows its folders by what the kernel notes.
#include <utility>

#include "core/budget.h"
#include "core/text.h"
#include "core/threads.h"
#include "files/names.h"
#include "index/row_cache.h"

namespace notesdb {
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
    if (table_->row_count() != count) rescan_from_start();
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

void RowCache::rescan_from_start() {
  next_swept_ = 0;
  ++rescan_number_;
}

}  // namespace notesdb
