// Colour: what a terminal shows bold, dim, red or green.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace notesdb::cli {

// --color auto|always|never; auto is a terminal where NO_COLOR is not set (https://no-color.org).
bool wants_colours(std::string_view choice, const Environment& environment, bool is_terminal);
// The choice among the words of a command line that are not sorted yet.
std::string colour_choice(const std::vector<std::string>& words);

// A table with its header bold and the rule below it dim.
std::string coloured_table(const std::string& table);
std::string coloured_title(const std::string& line);
// A unified diff with what goes red and what comes green.
std::string coloured_diff(const std::string& diff);

}  // namespace notesdb::cli
