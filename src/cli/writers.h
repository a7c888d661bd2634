// Writers: records as text for people. What is for programs is written by exchange/.
#pragma once

#include <string>
#include <string_view>

#include "cli/records.h"

namespace notesdb::cli {

// Aligned columns under a header, cut to `width` cells where that is not 0; a single record as
// lines of name and value, its body below. Safe for a terminal.
std::string write_table(const Records& records, std::size_t width);

// Lines that end as a terminal's do.
std::string without_returns(std::string_view text);

}  // namespace notesdb::cli
