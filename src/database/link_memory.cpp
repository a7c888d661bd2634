#include "database/link_memory.h"

#include <utility>

#include "files/stat_trust.h"
#include "note/front_matter.h"

namespace notesdb {
namespace {

// Below the two seconds within which a store that the kernel does not note must be seen.
constexpr std::chrono::milliseconds longest_trust{1900};

std::vector<LinkMemory::StoredLink> links_in(const WalkedNote& note) {
  std::vector<LinkMemory::StoredLink> links;
  const auto front = split_front_matter(note.file.bytes, note_format_of(note.path));
  if (!front) return links;
  for_each_link(note.file.bytes.substr(front->body_begin), [&](const BodyLink& link) {
    links.push_back({link.link.target, link.form});
  });
  return links;
}

}  // namespace

LinkMemory::~LinkMemory() {
  follower_.leave(this);
}

bool LinkMemory::is_in_step() {
  if (!is_following_ || Clock::now() - last_look_ > longest_trust) return false;
  const Changes changes = follower_.take(this);
  return changes.names.empty() && !changes.overflow;
}

void LinkMemory::look() {
  const auto begun = Clock::now();
  const std::int64_t begun_at = clock_ns();
  follower_.take(this);  // all of it is looked at
  bool all_followed = true;
  std::mutex mutex;  // of `now`
  Notes now;
  NoteWalker walker;
  walker.enters = [&](const std::string& folder) {
    all_followed = follower_.follow(this, folder) && all_followed;
  };
  walker.is_known = [&](const std::string& path, const StatKey& key) {
    const auto known = notes_.find(path);
    return known != notes_.end() && known->second.sure && known->second.key == key;
  };
  walker.visit = [&](const WalkedNote& note) {
    StoredNote stored;
    if (note.is_known) {
      stored.links = notes_.find(note.path)->second.links;
    } else {
      stored.links = links_in(note);
    }
    stored.path = note.path;
    stored.folder = note.folder;
    stored.owner = note.owner;
    stored.row_id = note.row_id;
    stored.key = note.file.key;
    stored.sure =
        note.is_known || (note.file.state == ReadState::whole && is_sure(note.file.key, begun_at));
    const std::lock_guard guard(mutex);
    now.insert_or_assign(note.path, std::move(stored));
  };
  walk_notes(files_, walker);
  notes_ = std::move(now);
  is_following_ = all_followed;
  last_look_ = begun;
}

void LinkMemory::for_each(const std::function<void(const StoredNote&)>& visit) {
  const std::lock_guard guard(mutex_);
  if (!is_in_step()) look();
  for (const auto& [path, note] : notes_) {
    if (!note.links.empty()) visit(note);
  }
}

}  // namespace notesdb
