// JournalFile: the journal while changes are recorded in it, kept open from one to the next.
//
// Used under the write lock only. Another process may append between two of ours, or put a shorter
// journal in its place (sweep.h): each append looks first which file is there and how long it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "files/descriptor.h"

namespace notesdb {

class JournalFile {
 public:
  // Appends whole lines in one write, to the journal in the store's folder `displaced`, made if
  // missing. Answers with errno.
  int append(int displaced, std::string_view lines);

  // Of the file as the last append left it; 0 and nothing if there was none.
  std::uint64_t length() const { return length_; }
  // When its oldest change was made, in microseconds since 1970; nothing if its first line tells
  // none.
  std::optional<std::int64_t> oldest_us();

 private:
  int look(int displaced);

  Descriptor file_;
  StatKey there_;             // as it was looked at last
  std::uint64_t length_ = 0;  // as it was left by us
  std::optional<std::int64_t> oldest_us_;
};

}  // namespace notesdb
