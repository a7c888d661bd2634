// Journal: one line for each step of each change, in the order they were made.
//
//   08kgp2vj0fxw1q7 <TAB> what <TAB> import of 5,000 rows into books
//   08kgp2vj0fxw1q7 <TAB> undoes <TAB> 08kgp2vhz51bmma
//   08kgp2vj0fxw1q7 <TAB> 0 <TAB> replace <TAB> 9f..(old) <TAB> 3c..(new) <TAB> path <TAB> new path <TAB> 812
//   08kgp2vj0fxw1q7 <TAB> kept <TAB> 40960 <TAB> 0
//   08kgp2vj0fxw1q7 <TAB> ours
//   08kgp2vj0fxw1q7 <TAB> void
//
// Before them, in the first line, stands the word of the store (store.h), without which none of
// them is believed:
//
//   store <TAB> 3f..(32 hex digits)
//
// An etag that does not apply is "-"; in paths and words, control characters and backslash are
// \xNN; the number at the end is the size of the version put aside. `undoes` says which earlier
// change this one took back, `redoes` the same of one that was an undo itself; `void` that the
// change failed and was taken back at once; `kept` how much all versions so far take, and how much
// it was when the journal was collected last (journal_gc.h), which also says that the versions a
// change put aside were `ours`, not another program's. Lines that are none of these are passed over.
//
// The lines of a change are appended before its first step is taken, in one write, so that a
// process that dies leaves no unrecorded change; lines that were cut short by a power failure are
// passed over. An intent file is the same lines of the one change, without `kept`, and its head.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/descriptor.h"

namespace notesdb {

inline constexpr std::string_view journal_name = "journal";

// The line that vouches for the others.
std::string head_line(std::string_view word);
// The word of a text that begins with such a line; else empty.
std::string_view word_at_head(std::string_view text);
// Whether an open file begins with the line of this word, which is not empty.
bool begins_with_word(int file, std::string_view word);

// `what` and what it takes back are those of the first step.
std::string to_lines(const std::vector<JournalEntry>& steps);
std::string to_void_line(std::string_view change);
// The steps of all changes that are not void, oldest first.
std::vector<JournalEntry> parse_lines(std::string_view text);

// The name of the version that a step puts aside.
std::string kept_name(std::string_view change, std::size_t step);

// What a file takes in the trash: whole blocks.
std::uint64_t blocks_of(std::uint64_t size);

// What a journal's last `kept` line says.
struct TrashSize {
  std::uint64_t bytes = 0;      // of all versions
  std::uint64_t collected = 0;  // of versions and journal together, when it was collected last
};
std::string to_kept_line(std::string_view change, const TrashSize& size);
// Of the last such line; nothing if there is none.
std::optional<TrashSize> find_trash_size(std::string_view lines);

// Answers with errno. `displaced` is the store's folder; a journal that is missing is empty, and so
// is one whose head names another word. Of one that is longer than 256 MiB only the end is read:
// `begin`, if wanted, is where.
int read_journal(int displaced,
                 std::string_view word,
                 std::string& text,
                 std::uint64_t* begin = nullptr);

// The changes of a journal's text, which outlives it, from the newest to the oldest.
class JournalReader {
 public:
  explicit JournalReader(std::string_view text) : rest_(text) {}

  // The next one that is not void; nothing after the oldest.
  std::optional<PastChange> next();
  // The next of this id, with no work spent on others.
  std::optional<PastChange> find(std::string_view id);

 private:
  // The lines of one change, the last one first.
  struct Lines {
    std::string_view id;
    std::vector<std::string_view> lines;
  };
  std::optional<Lines> next_lines();
  bool is_void(std::string_view id) const { return voided_.count(id) > 0; }

  std::string_view rest_;
  std::set<std::string_view> voided_;
};

// The journal while changes are recorded in it, kept open from one to the next.
//
// Used under the write lock only. Another process may append between two of ours, or put a shorter
// journal in its place (journal_gc.h): each look finds which file is there and how long it is.
// A file that does not begin with the word of the store is moved out of the way and never read.
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
  // Of the file that was looked at.
  int append_there(std::string_view word, std::string_view lines);
  std::optional<TrashSize> trash_size();

  Descriptor file_;
  StatKey there_;             // as it was looked at last
  std::uint64_t length_ = 0;  // as it was left by us
  std::optional<TrashSize> trash_;
  std::uint64_t trash_at_ = 0;  // how long the journal was that said so
  std::optional<std::int64_t> oldest_us_;
};

}  // namespace notesdb
