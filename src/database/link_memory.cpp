#include "database/link_memory.h"

#include <algorithm>
#include <utility>

#include "core/forgetting_lock.h"
#include "core/text.h"
#include "files/names.h"
#include "files/stat_trust.h"
#include "note/front_matter.h"
#include "note/relink.h"

namespace notesdb {
namespace {

// Below the two seconds within which a store that the kernel does not note must be seen.
constexpr std::chrono::milliseconds longest_trust{1900};
constexpr std::chrono::milliseconds between_sweeps{700};

}  // namespace

LinkMemory::~LinkMemory() {
  follower_.leave(this);
}

std::string LinkMemory::name_of(const BodyLink& link, std::string_view folder) {
  return link.form == LinkForm::wiki ? link.link.target : resolve_path(folder, link.link.target);
}

std::vector<LinkMemory::StoredLink> LinkMemory::links_in(const WalkedNote& note) {
  std::vector<StoredLink> links;
  const auto front = split_front_matter(note.file.bytes, note_format_of(note.path));
  if (!front) return links;
  for_each_link(note.file.bytes.substr(front->body_begin), [&](const BodyLink& link) {
    StoredLink stored{name_of(link, note.folder), link.form};
    if (std::ranges::find(links, stored) == links.end()) links.push_back(std::move(stored));
  });
  return links;
}

void LinkMemory::find_links(std::span<const std::string> names,
                            const std::function<void(const Linking&)>& visit) {
  const ForgettingLock guard(*this);
  catch_up();
  for (const std::string& name : names) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) continue;
    for (const Source& source : found->second) {
      const std::string& path = source.note->first;
      const Owner& owner = folders_.find(folder_of(path))->second;
      visit({name, path, row_id_at(owner.get(), path), owner, source.form});
    }
  }
}

std::vector<std::string> LinkMemory::database_ids() {
  const ForgettingLock guard(*this);
  std::vector<std::string> ids;
  for (const auto& [folder, owner] : folders_) {
    if (owner && owner->id() == folder && is_utf8(folder)) ids.push_back(folder);
  }
  return ids;
}

void LinkMemory::catch_up() {
  const bool is_recent = is_following_ && Clock::now() - last_look_ <= longest_trust;
  if (!is_recent || !take_noted()) look();
}

// Whether that was enough: false where only a look at everything can tell.
bool LinkMemory::take_noted() {
  const Changes changes = follower_.take(this);
  return !changes.overflow && std::ranges::all_of(changes.names, [&](const ChangedName& touched) {
    return take_touched(touched);
  });
}

bool LinkMemory::take_touched(const ChangedName& touched) {
  const auto folder = folders_.find(touched.folder);
  if (touched.name.empty() || folder == folders_.end()) return false;
  const std::string path = join_path(touched.folder, touched.name);
  if (is_schema_name(touched.name) || folders_.contains(path)) return false;
  const auto found = files_.stat(path);
  if (!found) return false;
  if (found->kind == FileKind::folder) return is_skipped_folder(touched.name);
  if (found->kind == FileKind::regular && is_note(folder->second.get(), path)) {
    read_again(path, folder->second);
  } else {
    forget(path);
  }
  return true;
}

void LinkMemory::read_again(const std::string& path, const Owner& owner) {
  const std::int64_t begun_at = clock_ns();
  const auto read = files_.read(path);
  forget(path);
  if (!read) return;
  FileView file;
  file.bytes = read->bytes;
  const WalkedNote walked{path, folder_of(path), owner, row_id_at(owner.get(), path), file};
  Note note{read->key, !read->being_written && is_sure(read->key, begun_at), links_in(walked)};
  add_sources(notes_.emplace(path, std::move(note)).first);
}

void LinkMemory::forget() {
  is_following_ = false;
  by_name_.clear();
  notes_.clear();
  folders_.clear();
}

void LinkMemory::forget(std::string_view path) {
  const auto note = notes_.find(path);
  if (note == notes_.end()) return;
  drop_sources(note);
  notes_.erase(note);
}

void LinkMemory::add_sources(Notes::const_iterator note) {
  for (const StoredLink& link : note->second.links)
    by_name_[link.name].push_back({note, link.form});
}

void LinkMemory::drop_sources(Notes::const_iterator note) {
  for (const StoredLink& link : note->second.links) {
    const auto sources = by_name_.find(link.name);
    if (sources == by_name_.end()) continue;  // the same name in the other form took both
    std::erase_if(sources->second, [&](const Source& source) { return source.note == note; });
    if (sources->second.empty()) by_name_.erase(sources);
  }
}

void LinkMemory::look() {
  const auto begun = Clock::now();
  const std::int64_t begun_at = clock_ns();
  follower_.take(this);  // all of it is looked at
  bool all_followed = true;
  std::mutex mutex;  // of `now`
  Notes now;
  std::map<std::string, Owner, std::less<>> entered;
  NoteWalker walker;
  walker.enters = [&](const std::string& folder) {
    all_followed = follower_.follow(this, folder) && all_followed;
  };
  walker.entered = [&](const std::string& folder, const Owner& owner) {
    entered.emplace(folder, owner);
  };
  walker.is_known = [&](const std::string& path, const StatKey& key) {
    const auto known = notes_.find(path);
    return known != notes_.end() && known->second.sure && known->second.key == key;
  };
  walker.visit = [&](const WalkedNote& walked) {
    Note note{walked.file.key, walked.is_known, {}};
    if (walked.is_known) {
      note.links = notes_.find(walked.path)->second.links;
    } else {
      note.links = links_in(walked);
      note.sure = walked.file.state == ReadState::whole && is_sure(walked.file.key, begun_at);
    }
    const std::lock_guard guard(mutex);
    now.insert_or_assign(walked.path, std::move(note));
  };
  walk_notes(files_, walker);
  notes_ = std::move(now);
  folders_ = std::move(entered);
  by_name_.clear();
  for (auto note = notes_.cbegin(); note != notes_.cend(); ++note)
    add_sources(note);
  is_following_ = all_followed;
  last_look_ = begun;
  next_swept_.clear();
}

// Of the next notes, which lie in one folder: those whose links may be others. `next` moves behind
// what was looked at, and is empty behind the last.
std::vector<std::string> LinkMemory::stale_from(std::string& next, std::size_t count) const {
  auto note = notes_.lower_bound(next);
  const std::string folder(note == notes_.end() ? "" : folder_of(note->first));
  std::vector<Notes::const_iterator> looked_at;
  std::vector<const char*> names;
  for (; note != notes_.end() && names.size() < count && folder_of(note->first) == folder; ++note) {
    looked_at.push_back(note);
    names.push_back(note->first.c_str() + (note->first.size() - name_in(note->first).size()));
  }
  next = note == notes_.end() ? "" : note->first;
  std::vector<FileStat> stats(names.size());
  const bool is_done = files_.stat_all(folder, names, stats).ok();
  std::vector<std::string> stale;
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const Note& known = looked_at[i]->second;
    const bool same =
        is_done && known.sure && stats[i].kind == FileKind::regular && stats[i].key == known.key;
    if (!same) stale.push_back(looked_at[i]->first);
  }
  return stale;
}

void LinkMemory::sweep() {
  constexpr std::size_t notes_at_once = 512;  // a question waits no longer than these take
  constexpr std::size_t parts = 8;
  std::size_t left = notes_at_once;
  for (bool first = true; left > 0; left -= std::min(left, notes_at_once), first = false) {
    const ForgettingLock guard(*this, std::try_to_lock);
    if (!guard.owns_lock()) return;
    if (first) left = std::max(left, notes_.size() / parts);
    if (sweep_some(notes_at_once)) return;
  }
}

// Whether nothing is left to look at for now.
bool LinkMemory::sweep_some(std::size_t count) {
  if (!is_following_) return true;
  if (next_swept_.empty()) {
    const auto since = Clock::now() - last_look_;
    if (since < between_sweeps || since > longest_trust) return true;
    sweep_begun_ = Clock::now();
  }
  for (const std::string& path : stale_from(next_swept_, count))
    read_again(path, folders_.find(folder_of(path))->second);
  if (!next_swept_.empty()) return false;
  last_look_ = sweep_begun_;
  return true;
}

}  // namespace notesdb
