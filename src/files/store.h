// Store: the folder `.notesdb` at the workspace root, made by the first change.
//
//   .notesdb/.gitignore   "*": git ignores the folder by itself
//            lock         the write lock; empty
//            displaced/   versions that changes put aside: <change>.<step>, and the journal of them
//            intent/      `current`, while a change of several files is under way
//
// Deleting the folder at any moment loses undo and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/journal_file.h"
#include "files/root.h"

namespace notesdb {

inline constexpr std::string_view store_name = ".notesdb";

class Store {
 public:
  // Opens it, making what is missing.
  static Result<Store> make(const Root& root);
  // Writes whole lines (journal.h) to the end of the journal. Answers with errno. Under the write
  // lock only, as is all that is asked of the journal.
  int record(std::string_view lines) { return journal_.append(displaced(), lines); }
  JournalFile& journal() { return journal_; }

  // Whether it has not been deleted since.
  bool still_there() const;

  int base() const { return base_.get(); }
  int displaced() const { return displaced_.get(); }
  int intent() const { return intent_.get(); }
  std::uint64_t device() const { return device_; }

 private:
  Descriptor base_;
  Descriptor displaced_;
  Descriptor intent_;
  JournalFile journal_;
  std::uint64_t device_ = 0;
};

// The folder of displaced versions for somebody who only reads; invalid if there is none.
Descriptor open_displaced(const Root& root);

}  // namespace notesdb
