// Command line: a line as a person types it, as the words that a program is given.
#pragma once

#include <string>

#include "driving/process.h"

namespace notesdb::cases {

// Splits as a shell does: spaces, 'single' and "double" quotes, backslashes.
driving::Words split(const std::string& line);

}  // namespace notesdb::cases
