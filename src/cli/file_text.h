// File text: the text of a file that a person named on the command line.
#pragma once

#include <string>

#include "core/result.h"

namespace notesdb::cli {

// All of a file, or of standard input for "-". Fails with io_error.
Result<std::string> read_text(const std::string& path);

}  // namespace notesdb::cli
