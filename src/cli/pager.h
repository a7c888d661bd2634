// Pager: text of more than a screen goes through $PAGER (`less` where none is named) when a person
// reads it.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace notesdb::cli {

// How a process with these words writes: through a pager where standard output is a terminal,
// unless --no-pager says otherwise or PAGER is empty.
Console::Write writer_for(const std::vector<std::string>& words);

}  // namespace notesdb::cli
