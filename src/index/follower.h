// Follower: which names have changed in the folders of each database since it was last asked.
//
//   follower.follow(this, "tasks");
//   ...
//   Changes changes = follower.take(this);   // what happened in them until now
//
// One Watch for several readers: a user's processes have few kernel queues between them
// (128), so a workspace uses one for all of its databases. Only a process that stays has one.
//
// All functions may be called from several threads at once.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "core/result.h"
#include "files/watch.h"

namespace notesdb {

class Follower {
 public:
  // Whoever asks, told apart by its address.
  using Reader = const void*;

  // `source` must outlive it, and is nobody else's.
  explicit Follower(Watch& source) : source_(source) {}

  // Notes changes in this folder for `reader` from now on; which folder it is
  // (Watch::add), and its errors.
  Result<StatKey> follow(Reader reader, const std::string& folder);
  // Forgets the reader and what was noted for it.
  void leave(Reader reader);
  // What was noted since it last took. Never waits.
  Changes take(Reader reader);

 private:
  void note(Changes&& changes);

  std::mutex mutex_;
  Watch& source_;
  std::map<std::string, std::set<Reader>, std::less<>> readers_;  // by folder
  std::map<Reader, Changes> noted_;
};

}  // namespace notesdb
