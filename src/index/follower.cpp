#include "index/follower.h"

#include <utility>

namespace notesdb {
namespace {

// More than this for a reader that never asks, and it looks at everything when it does.
constexpr std::size_t max_noted = 20'000;

}  // namespace

Result<StatKey> Follower::follow(Reader reader, const std::string& folder) {
  const std::lock_guard guard(mutex_);
  noted_.try_emplace(reader);
  auto added = source_.add(folder);
  if (added) readers_[folder].insert(reader);
  return added;
}

void Follower::leave(Reader reader) {
  const std::lock_guard guard(mutex_);
  noted_.erase(reader);
  for (auto at = readers_.begin(); at != readers_.end();) {
    at->second.erase(reader);
    if (at->second.empty()) {
      source_.remove(at->first);
      at = readers_.erase(at);
    } else {
      ++at;
    }
  }
}

Changes Follower::take(Reader reader) {
  const std::lock_guard guard(mutex_);
  try {
    note(source_.drain());
  } catch (...) {
    // The kernel tells nothing twice, so nobody knows any more what has changed.
    for (auto& [other, noted] : noted_)
      noted.overflow = true;
    throw;
  }
  const auto noted = noted_.find(reader);
  return noted == noted_.end() ? Changes{} : std::exchange(noted->second, {});
}

void Follower::note(Changes&& changes) {
  for (const ChangedName& name : changes.names) {
    const auto readers = readers_.find(name.folder);
    if (readers == readers_.end()) continue;
    for (Reader reader : readers->second) {
      Changes& noted = noted_[reader];
      // They come in order, so that each mostly stands after those before.
      if (noted.names.size() < max_noted) noted.names.insert(noted.names.end(), name);
      if (noted.names.size() >= max_noted) noted.overflow = true;
    }
  }
  if (!changes.overflow) return;
  for (const auto& [folder, readers] : readers_) {
    for (Reader reader : readers)
      noted_[reader].overflow = true;
  }
}

}  // namespace notesdb
