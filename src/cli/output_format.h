// Output format: the forms in which a command shows its answer.
//
//   table  for people          json   the tool's result, unchanged
//   jsonl  a record a line     csv    RFC 4180
//   tsv    tabs, \t escaped    yaml   the result as YAML
//   md     a table of GitHub   ids    an id a line
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb::cli {

enum class OutputFormat { table, json, jsonl, csv, tsv, yaml, md, ids };

std::string_view name_of(OutputFormat format);
std::vector<std::string> output_format_names();
// Fails with invalid_argument, naming the formats and the nearest.
Result<OutputFormat> parse_output_format(std::string_view name);

}  // namespace notesdb::cli
