// LinkCache: the links in all notes of a workspace, for a process that stays.
//
//   people/ann    wiki      <- journal/monday.md, tasks/row-1.md
//   people/ann    markdown  <- people/ben.md
//
// Asking what points to a row would else read every note each time. Here the links are kept by what
// they name, so that such a question costs as much as it has answers. A note that the kernel says
// was touched (follower.h) is read again by itself; all notes are looked at where a folder or a
// schema has changed, and where the last look is nearly two seconds old, since stores through a
// memory map are not noted. rescan() spreads that look over the time between questions.
//
// All functions may be called from several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "database/note_walk.h"
#include "index/follower.h"
#include "note/links.h"

namespace notesdb {

class LinkCache {
 public:
  // A link in a body, and the note that has it.
  struct Linking {
    std::string_view name;                               // what it names
    std::string_view path;                               // of the note, from the workspace root
    std::string_view row_id;                             // empty for a note that is not a row
    const std::shared_ptr<const DatabaseFolder>& owner;  // the database it lies in; null: none
    LinkForm form = LinkForm::wiki;
  };

  // Both must outlive it.
  LinkCache(const FileSystem& files, Follower& follower) : files_(files), follower_(follower) {}
  ~LinkCache();
  LinkCache(const LinkCache&) = delete;
  LinkCache& operator=(const LinkCache&) = delete;

  // What a link in a note of this folder names: a wiki link what it says, a markdown link the path
  // that it leads to, from the root and without .md.
  static std::string name_of(const BodyLink& link, std::string_view folder);

  // Calls `visit` for every link that names one of these, as the notes are now, in no order.
  void find_links(std::span<const std::string> names,
                  const std::function<void(const Linking&)>& visit);

  // The ids of all databases, in no order; as of the last find_links.
  std::vector<std::string> database_ids();

  // The next part of a slow look at every note, for what the kernel does not note. No question
  // waits for what is looked at.
  void rescan();

  // Held while it works. Of what was learnt nothing is left; for whoever holds the mutex.
  std::mutex& mutex() { return mutex_; }
  void forget();

 private:
  using Clock = std::chrono::steady_clock;
  using Owner = std::shared_ptr<const DatabaseFolder>;
  struct StoredLink {
    std::string name;
    LinkForm form = LinkForm::wiki;
    friend bool operator==(const StoredLink&, const StoredLink&) = default;
  };
  struct Note {
    StatKey key;
    bool sure = false;              // the key tells the next change for certain
    std::vector<StoredLink> links;  // each once
  };
  using Notes = std::map<std::string, Note, std::less<>>;
  struct Source {
    Notes::const_iterator note;
    LinkForm form;
  };

  static std::vector<StoredLink> links_in(const WalkedNote& note);
  void catch_up();
  void look();
  struct SweptNotes;
  std::optional<SweptNotes> next_swept_notes();
  bool take_swept(const SweptNotes& swept, const std::vector<std::string>& stale);
  bool take_noted();
  bool take_touched(const ChangedName& touched);
  void read_again(const std::string& path, const Owner& owner);
  void forget(std::string_view path);
  void add_sources(Notes::const_iterator note);
  void drop_sources(Notes::const_iterator note);

  const FileSystem& files_;
  Follower& follower_;
  std::mutex mutex_;
  Notes notes_;                                                   // by path
  std::map<std::string, Owner, std::less<>> folders_;             // all that were entered
  std::unordered_map<std::string, std::vector<Source>> by_name_;  // of every link of notes_
  bool is_following_ = false;                                     // all of folders_
  Clock::time_point last_look_;
  Clock::time_point rescan_begun_;
  std::string next_swept_;
  std::uint64_t rescan_number_ = 0;  // what was begun under another number is of no use
};

}  // namespace notesdb
