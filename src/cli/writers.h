// Writers: records and results as text, a function for each output format.
#pragma once

#include <string>

#include "cli/records.h"
#include "core/value.h"

namespace notesdb::cli {

// Aligned columns under a header, cut to `width` cells where that is not 0; a single record as
// lines of name and value, its body below. Safe for a terminal.
std::string write_table(const Records& records, std::size_t width);
// RFC 4180: CRLF, quotes where needed. Lists as a,b unless an item has a comma: then as JSON.
std::string write_csv(const Records& records);
// Tabs between cells; tab, line break and backslash inside one as \t \n \r \\.
std::string write_tsv(const Records& records);
// A table as GitHub draws it.
std::string write_markdown(const Records& records);
// The whole result as one YAML document.
std::string write_yaml(const Value& result);

}  // namespace notesdb::cli
