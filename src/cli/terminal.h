// Terminal: output that no file's contents can use to command a terminal.
#pragma once

#include <string>
#include <string_view>

namespace notesdb::cli {

// JSON or quoted YAML, whose C0 controls are escaped already: C1 controls and bidi overrides as
// \uXXXX, so that it stays the same JSON.
std::string escape_inside_quotes(std::string_view text);

}  // namespace notesdb::cli
