#include "database/link_cache.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/text.h"
#include "core/threads.h"
#include "files/file_system.h"
#include "files/names.h"
#include "index/row_files.h"
#include "note/front_matter.h"
#include "note/links.h"

namespace notesdb {
namespace {

// Below the two seconds within which a store that the kernel does not note must be seen.
constexpr std::chrono::milliseconds longest_trust{1900};
constexpr std::chrono::milliseconds between_rescans{700};
constexpr std::size_t swept_at_once = 512;
// So many calls of rescan() look at all notes, however many these are.
constexpr std::size_t rescans_of_all = 4;

}  // namespace

LinkCache::~LinkCache() {
  follower_.leave(this);
}

std::string LinkCache::name_of(const BodyLink& link, std::string_view folder) {
  return link.form == LinkForm::wiki ? link.link.target : resolve_path(folder, link.link.target);
}

std::vector<LinkCache::StoredLink> LinkCache::links_in(const WalkedNote& note) {
  std::vector<StoredLink> links;
  const auto front = split_front_matter(note.file.bytes, note_format_of(note.path));
  if (!front) return links;
  std::set<std::pair<std::string, LinkForm>> known;
  for_each_link(note.file.bytes.substr(front->body_begin), [&](const BodyLink& link) {
    const auto [stored, is_new] = known.emplace(name_of(link, note.folder), link.form);
    if (is_new) links.push_back({stored->first, stored->second});
  });
  return links;
}

void LinkCache::find_links(std::span<const std::string> names,
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

std::vector<std::string> LinkCache::database_ids() {
  const ForgettingLock guard(*this);
  std::vector<std::string> ids;
  for (const auto& [folder, owner] : folders_) {
    if (owner && owner->id() == folder && is_utf8(folder)) ids.push_back(folder);
  }
  return ids;
}

void LinkCache::catch_up() {
  const bool is_recent = is_following_ && Clock::now() - last_look_ <= longest_trust;
  if (!is_recent || !take_noted()) look();
}

// Whether that was enough: false where only a look at everything can tell.
bool LinkCache::take_noted() {
  const Changes changes = follower_.take(this);
  return !changes.overflow && std::ranges::all_of(changes.names, [&](const ChangedName& touched) {
    return take_touched(touched);
  });
}

bool LinkCache::take_touched(const ChangedName& touched) {
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

void LinkCache::read_again(const std::string& path, const Owner& owner) {
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

void LinkCache::forget() {
  is_following_ = false;
  by_name_.clear();
  notes_.clear();
  folders_.clear();
}

void LinkCache::forget(std::string_view path) {
  const auto note = notes_.find(path);
  if (note == notes_.end()) return;
  drop_sources(note);
  notes_.erase(note);
}

void LinkCache::add_sources(Notes::const_iterator note) {
  for (const StoredLink& link : note->second.links)
    by_name_[link.name].push_back({note, link.form});
}

void LinkCache::drop_sources(Notes::const_iterator note) {
  for (const StoredLink& link : note->second.links) {
    const auto sources = by_name_.find(link.name);
    if (sources == by_name_.end()) continue;  // the same name in the other form took both
    std::erase_if(sources->second, [&](const Source& source) { return source.note == note; });
    if (sources->second.empty()) by_name_.erase(sources);
  }
}

void LinkCache::look() {
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
  ++rescan_number_;
}

// Notes of one folder that are looked at while questions are answered.
struct LinkCache::SweptNotes {
  std::string folder;
  RowLook look;
  std::string next;  // where the next ones begin; empty after the last
  std::size_t count = 0;
  std::size_t share = 0;  // of one call of rescan()
  std::uint64_t number = 0;
};

void LinkCache::rescan() {
  for (std::size_t done = 0;;) {
    const auto swept = next_swept_notes();
    if (!swept) return;
    const auto stale = swept->look.stale(files_, swept->folder);
    if (!stale || !take_swept(*swept, *stale)) return;
    done += swept->count;
    if (done > swept->share) return;
  }
}

std::optional<LinkCache::SweptNotes> LinkCache::next_swept_notes() {
  const ForgettingLock guard(*this);
  const auto since = Clock::now() - last_look_;
  if (!is_following_ || since > longest_trust) return std::nullopt;
  if (next_swept_.empty()) {
    if (since < between_rescans) return std::nullopt;
    rescan_begun_ = Clock::now();
  }
  auto note = notes_.lower_bound(next_swept_);
  SweptNotes swept;
  swept.folder = note == notes_.end() ? "" : folder_of(note->first);
  for (; note != notes_.end() && swept.count < swept_at_once; ++note, ++swept.count) {
    if (folder_of(note->first) != swept.folder) break;
    const std::string_view name = name_in(note->first);
    if (note->second.sure) {
      swept.look.add(name, note->second.key);
    } else {
      swept.look.add_unsure(name);
    }
  }
  if (note != notes_.end()) swept.next = note->first;
  swept.share = notes_.size() / rescans_of_all;
  swept.number = rescan_number_;
  return swept;
}

// Whether notes are left to look at.
bool LinkCache::take_swept(const SweptNotes& swept, const std::vector<std::string>& stale) {
  const ForgettingLock guard(*this);
  if (!is_following_ || swept.number != rescan_number_) return false;
  const auto folder = folders_.find(swept.folder);
  for (const std::string& name : stale) {
    const std::string path = join_path(swept.folder, name);
    if (notes_.contains(path)) read_again(path, folder->second);
  }
  next_swept_ = swept.next;
  if (!next_swept_.empty()) return true;
  last_look_ = rescan_begun_;
  return false;
}

}  // namespace notesdb
