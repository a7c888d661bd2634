// LinkCache: the links in all notes of a workspace, and the names of all its files.
//
//   beta     [[Beta]] in journal/monday.md, [[beta|x]] in tasks/row-1.md
//   ann.md   [t](../people/ann.md) in people/ben.md
//
// Of a note the texts of its links are kept, by the last name of their paths; what they mean is
// looked up when somebody asks (note/link_names.h), so that a new or moved file changes it without
// another look at the notes. Asking what points to a file costs as much as it has answers.
//
// In a process that stays a note that the kernel says was touched (follower.h) is read again by
// itself; all notes are looked at where a folder or a schema has changed, and where the last look
// is nearly two seconds old, since stores through a memory map are not noted. rescan() spreads that
// look over the time between questions. Any other process looks at all notes for each question.
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
#include <unordered_set>
#include <utility>
#include <vector>

#include "database/link_rules.h"
#include "database/note_walk.h"
#include "index/follower.h"
#include "note/link_names.h"

namespace notesdb {

class LinkCache {
 public:
  struct StoredLink {
    std::string_view path;   // as it is meant (body_text.h)
    std::string_view field;  // of a property; empty for one in the body
    LinkForm form = LinkForm::wiki;
    std::uint32_t count = 1;  // how often it stands there
  };
  // A link, and the note that has it.
  struct Linking {
    const StoredLink& link;
    const std::string& path;                             // of the note, from the workspace root
    LinkNames::File file;                                // no_file where no link can mean the note
    std::string_view row_id;                             // empty for a note that is not a row
    const std::shared_ptr<const DatabaseFolder>& owner;  // the database it lies in; null: none
    const LinkNames& names;
    const LinkNames::Meaning& meaning;
  };
  using Visit = std::function<void(const Linking&)>;

  // Both must outlive it. Without a follower nothing is kept from one question to the next.
  LinkCache(const FileSystem& files, Follower* follower, LinkSettings settings)
      : files_(files), follower_(follower), settings_(std::move(settings)) {}
  ~LinkCache();
  LinkCache(const LinkCache&) = delete;
  LinkCache& operator=(const LinkCache&) = delete;

  // The database that a property's links lead to, where it is a relation; else empty.
  static std::string_view relation_target(const DatabaseFolder* owner,
                                          std::string_view row_id,
                                          std::string_view field);
  // Adds what a walk tells of a folder: the files that links may mean, and the rules of its links.
  static void add_folder(const FileSystem& files,
                         const EnteredFolder& folder,
                         const LinkSettings& settings,
                         LinkNames& names);

  // Calls `visit` for every link that means one of these files, as the notes are now, in no order.
  void find_links(std::span<const std::string> paths, const Visit& visit);
  using VisitAlias = std::function<void(const std::string& path, const std::string& alias)>;
  // The same for every link of every note, by path; its meaning may be none. Before that, every
  // alias that a note says it has. `visit_note` is shown the notes that are read for it, if any,
  // from several threads at once.
  using VisitNote = std::function<void(const WalkedNote&)>;
  void each_link(const Visit& visit,
                 const VisitAlias& visit_alias = {},
                 const VisitNote& visit_note = {});
  // The row of a file as of the last question; no id where it is none. For a visit.
  struct RowName {
    std::string database;
    std::string id;
  };
  RowName row_of(LinkNames::File file) const;
  // The rules of links as of now, by folder.
  std::vector<std::pair<std::string, LinkRules>> rules();

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
  // What a note says of links.
  struct NoteTexts {
    std::vector<StoredLink> links{};  // each once for each place where it counts: property or body
    std::vector<std::string> aliases{};
    std::unique_ptr<const char[]> text{};  // that the links lie in
  };
  using KeptTexts = std::shared_ptr<const NoteTexts>;
  using Keys = std::unordered_set<LinkNames::Key>;
  class LinkCollector;
  struct Note {
    StatKey key;
    bool sure = false;  // the key tells the next change for certain
    KeptTexts texts;
  };
  using Notes = std::map<std::string, Note, std::less<>>;
  struct Source {
    Notes::const_iterator note;
    std::size_t link;
  };
  // A note, and what its links have in common.
  struct Place;
  struct Folder {
    Owner owner;
    bool has_notes = true;
  };

  // `wanted`: of which links nobody wants others, where nothing is kept; null: all are.
  static KeptTexts texts_of(std::string_view path,
                            std::string_view bytes,
                            const LinkRules& rules,
                            const Keys* wanted = nullptr);
  Keys keys_of(std::span<const std::string> paths) const;
  void catch_up(const Keys* wanted = nullptr, const VisitNote& visit_note = {});
  void look(const Keys* wanted = nullptr, const VisitNote& visit_note = {});
  struct SweptNotes;
  std::optional<SweptNotes> next_swept_notes();
  bool take_swept(const SweptNotes& swept, const std::vector<std::string>& stale);
  bool take_noted();
  bool take_touched(const ChangedName& touched);
  bool reads_the_same(const std::string& folder, const Owner& owner) const;
  void read_again(const std::string& path);
  void forget(std::string_view path);
  Place place_of(Notes::const_iterator note) const;
  LinkNames::Meaning meaning_of(const Place& place, const StoredLink& link) const;
  void add_aliases(Notes::const_iterator note);
  void add_sources(Notes::const_iterator note);
  void drop_sources(Notes::const_iterator note);
  void forget_sources();

  const FileSystem& files_;
  Follower* follower_;
  LinkSettings settings_;
  std::mutex mutex_;
  Notes notes_;                                                     // by path
  LinkNames names_;                                                 // of all files
  std::map<std::string, Folder, std::less<>> folders_;              // all that were entered
  std::unordered_map<LinkNames::Key, std::vector<Source>> by_key_;  // of every link
  bool knows_keys_ = false;    // by_key_ is made for the first that asks what points to a file
  bool is_following_ = false;  // all of folders_
  Clock::time_point last_look_;
  Clock::time_point rescan_begun_;
  std::string next_swept_;
  std::uint64_t rescan_number_ = 0;  // what was begun under another number is of no use
};

}  // namespace notesdb
