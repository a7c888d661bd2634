// find_line: the line that begins with a character, found without looking at each.
#pragma once

#include <cstddef>
#include <string_view>

namespace notesdb {

// Where the first line begins that begins with one of two characters, looking from the line at `at`
// on; npos if there is none.
std::size_t find_line(std::string_view text, std::size_t at, char first, char other);

}  // namespace notesdb
