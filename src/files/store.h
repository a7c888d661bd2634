// Store: the folder `.notesdb` at the workspace root, made by the first change.
//
//   .notesdb/.gitignore   "*": git ignores the folder by itself
//            owner        the word by which it is known to be ours (see below)
//            lock         the write lock; empty
//            displaced/   versions that changes put aside: <change>.<step>, and the journal of them
//            intent/      `current`, while a change of several files is under way; waiting_mark.h
//            foreign-N    a `.notesdb` that was not ours, set aside by a writer; never read
//
// A store is believed only if it is ours: it and its folders are folders, belong to this user, are
// writable by nobody else (by the group where the root is), and its word is the one that this user
// keeps for this root. A clone, an archive, a copy or a neighbour can bring a folder of this name;
// nothing in it is finished, taken back, shown as history or collected.
//
// Where no word can be kept (no HOME), a store that could be ours is `unverified`: it is written
// to, so that changes are recorded and locked as always, and not believed. One that this process
// has made itself is believed by it.
//
// Deleting the folder at any moment loses undo and nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/journal.h"
#include "files/root.h"

namespace notesdb {

// The word: the secret by which a store is known to be made by this user, here.
//
//   $XDG_STATE_HOME/notesdb/stores/<inode of the root>     else ~/.local/state/...
//     3f..(32 hex digits) <TAB> device of the root <TAB> path of the root
//
// A folder that was cloned, unpacked or copied brings a store with it as any other file; it cannot
// bring this. The word belongs to the root's inode: a workspace that was moved keeps it, a copy has
// none. Device and path stand beside it because neither lasts: devices are numbered again when a
// machine starts, paths change with a move. Either of them is enough.
//
// The folder is ours alone (0700), or it is not used.

// 128 bits of chance.
std::string new_store_word();

// The folder that the words lie in; empty where neither variable names one.
std::string store_word_folder();

// The word of this root; none if it has none yet. Fails, saying why, where words cannot be kept:
// there is no such folder, or it is not ours alone.
Result<std::optional<std::string>> find_store_word(const Root& root);

// The same, made where there is none.
Result<std::string> make_store_word(const Root& root);

inline constexpr std::string_view store_name = ".notesdb";

enum class StoreState : std::uint8_t {
  missing,
  blank,  // without a word, and without anything that could be believed
  ours,
  unverified,  // no word can be kept here
  foreign
};

class Store {
 public:
  // Opens it, making what is missing. One that is foreign is set aside first, as soon as nobody
  // holds its lock; where it cannot be, this fails, naming what to do.
  static Result<Store> make(const Root& root);
  // As it lies there, for somebody who only reads. Without the folders where it is not ours.
  static Store find(const Root& root);

  StoreState state() const { return state_; }
  bool is_ours() const { return state_ == StoreState::ours; }
  // Why it is foreign or unverified: "belongs to another user".
  const std::string& why() const { return why_; }
  const std::string& word() const { return word_; }

  // Writes whole lines (journal.h) to the end of the journal. Answers with errno. Under the write
  // lock only, as is all that is asked of the journal.
  int record(std::string_view lines) { return journal_.append(displaced(), word_, lines); }
  // The same of a change that puts versions of so many bytes aside.
  int record(std::string_view lines, std::string_view change, std::uint64_t bytes) {
    return journal_.append(displaced(), word_, lines, change, bytes);
  }
  // How much the versions take; nothing where the journal does not say.
  std::optional<TrashSize> trash_size() { return journal_.trash_size(displaced(), word_); }
  JournalFile& journal() { return journal_; }

  // Whether it is what lies at its place in this root: neither deleted nor set aside since.
  bool is_in_place(const Root& root) const;
  // The same, with its folders.
  bool still_there(const Root& root) const;

  int base() const { return base_.get(); }
  int displaced() const { return displaced_.get(); }
  int intent() const { return intent_.get(); }
  std::uint64_t device() const { return device_; }

 private:
  enum class Purpose { read, write };
  // Fails where the system does not say what lies there, which is no reason to set it aside.
  static Result<Store> open_base(const Root& root, Purpose purpose);
  Result<void> verify_word(const Root& root, Purpose purpose);
  void set_state(StoreState state, std::string why);
  Result<void> make_folders(const Root& root);
  Result<void> make_owner(const Root& root);

  StoreState state_ = StoreState::missing;
  std::string why_;
  std::string word_;
  Descriptor base_;
  Descriptor displaced_;
  Descriptor intent_;
  JournalFile journal_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

// The names of what was set aside, from the root: ".notesdb/foreign-1".
std::vector<std::string> stores_set_aside(const Root& root);

// What is to be told of the store at this root, and what to do; empty if nothing is.
std::string store_warning(const Root& root);

}  // namespace notesdb
