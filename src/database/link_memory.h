// LinkMemory: the links in all notes of a workspace, for a process that stays.
//
// Asking what points to a row would else read every note each time. Here a note is read again only
// if its stat key has changed; and nothing is looked at as long as the kernel has noted no change
// in any folder (follower.h) and the last look is less than two seconds old.
//
// All functions may be called from several threads at once.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "database/note_walk.h"
#include "index/follower.h"
#include "note/body_links.h"

namespace notesdb {

class LinkMemory {
 public:
  struct StoredLink {
    std::string target;
    LinkForm form = LinkForm::wiki;
  };
  struct StoredNote {
    std::string path;                             // from the workspace root
    std::string folder;                           // of it
    std::shared_ptr<const DatabaseFolder> owner;  // the database it lies in or below; null: none
    std::string row_id;                           // empty for a note that is no row
    StatKey key;
    bool sure = false;
    std::vector<StoredLink> links;  // of the body, in order
  };

  // Both must outlive it.
  LinkMemory(const FileSystem& files, Follower& follower) : files_(files), follower_(follower) {}
  ~LinkMemory();
  LinkMemory(const LinkMemory&) = delete;
  LinkMemory& operator=(const LinkMemory&) = delete;

  // Calls `visit` for every note that has links, as they are now, in the order of paths.
  void for_each(const std::function<void(const StoredNote&)>& visit);

 private:
  using Clock = std::chrono::steady_clock;
  using Notes = std::map<std::string, StoredNote, std::less<>>;

  bool is_in_step();
  void look();

  const FileSystem& files_;
  Follower& follower_;
  std::mutex mutex_;
  Notes notes_;
  bool is_following_ = false;
  Clock::time_point last_look_;
};

}  // namespace notesdb
