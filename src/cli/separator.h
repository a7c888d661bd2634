// Separator: the flag --separator of commands that read and write CSV.
#pragma once

#include "cli/command.h"
#include "core/result.h"

namespace notesdb::cli {

// A comma where none is given; `tab` and `\t` are a tab. What check_separator refused is a comma.
char separator_of(const Words& words);

// Fails with invalid_argument unless it is one ASCII character that no cell needs for itself.
Result<void> check_separator(const Words& words);

}  // namespace notesdb::cli
