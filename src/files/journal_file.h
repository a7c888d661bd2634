// JournalFile: the journal while changes are recorded in it, kept open from one to the next.
//
// Used under the write lock only. Another process may append between two of ours, or put a shorter
// journal in its place (journal_gc.h): each look finds which file is there and how long it is.
// A file that does not begin with the word of the store is moved out of the way and never read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "files/descriptor.h"
#include "files/journal.h"

namespace notesdb {

class JournalFile {
 public:
  // Appends whole lines in one write, to the journal in the store's folder `displaced`, made if
  // missing, of the store that has this word. Answers with errno.
  int append(int displaced, std::string_view word, std::string_view lines);
  // The same, with a `kept` line after them: they put versions of so many bytes aside.
  int append(int displaced,
             std::string_view word,
             std::string_view lines,
             std::string_view change,
             std::uint64_t bytes);

  // How much is kept; nothing where the journal does not say, which a collection puts right.
  std::optional<TrashSize> trash_size(int displaced, std::string_view word);

  // Of the file as it was looked at or left last.
  std::uint64_t length() const { return std::max(there_.size, length_); }
  // When its oldest change was made, in microseconds since 1970; nothing if its first lines tell
  // none.
  std::optional<std::int64_t> oldest_us();

 private:
  int look(int displaced, std::string_view word);
  int open(int displaced);

  Descriptor file_;
  StatKey there_;             // as it was looked at last
  std::uint64_t length_ = 0;  // as it was left by us
  std::optional<TrashSize> trash_;
  std::uint64_t trash_at_ = 0;  // how long the journal was that said so
  std::optional<std::int64_t> oldest_us_;
};

}  // namespace notesdb
