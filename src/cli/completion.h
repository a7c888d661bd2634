// Completion: what may stand where a person asks a shell to complete a word of a command line.
//
//   notesdb __complete -- query stories --where st
//
// The last word is the one to complete, and may be empty. A line each, with a tab before what it
// means: commands, databases, rows, columns, options, views, templates, tools. None at all where
// a file is meant, or anything.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace notesdb::cli {

// The lines for the words after `notesdb`. Nothing fails: where a workspace cannot be read there
// are fewer.
std::string candidate_lines(const Commands& commands, const std::vector<std::string>& words);

}  // namespace notesdb::cli
