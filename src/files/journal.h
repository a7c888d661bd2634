// Journal: one line for each step of each change, in the order they were made.
//
//   08kgp2vj0fxw1q7 <TAB> 0 <TAB> replace <TAB> 9f..(old) <TAB> 3c..(new) <TAB> path <TAB> new path
//   08kgp2vj0fxw1q7 <TAB> void
//   08kgp2vj0fxw1q7 <TAB> takes_back <TAB> 08kgp2vhz51bmma
//
// An etag that does not apply is "-"; in paths, control characters and backslash are \xNN. `void`
// says that the change failed and was taken back at once, `takes_back` which earlier change it took
// back. A line is appended before its step is taken, in
// one write, so that a process that dies leaves no unrecorded change; lines that were cut short by
// a power failure are passed over. An intent file is the same lines of the one change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/descriptor.h"

namespace notesdb {

inline constexpr std::string_view journal_name = "journal";

std::string to_lines(const std::vector<Kept>& steps);
std::string to_void_line(std::string_view change);
// The steps of all changes that are not void, oldest first.
std::vector<Kept> parse_lines(std::string_view text);

// The name of the version that a step puts aside.
std::string kept_name(std::string_view change, std::size_t step);

// Answers with errno. `displaced` is the store's folder; a journal that is missing is empty.
int read_journal(int displaced, std::vector<Kept>& steps);

}  // namespace notesdb
