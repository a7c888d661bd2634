#include "cli/output_format.h"

#include <algorithm>
#include <array>

namespace notesdb::cli {

namespace {
constexpr std::array<std::string_view, 8> format_names{
    "table", "json", "jsonl", "csv", "tsv", "yaml", "md", "ids"};
}  // namespace

std::string_view name_of(OutputFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

std::vector<std::string> output_format_names() {
  return {format_names.begin(), format_names.end()};
}

Result<OutputFormat> parse_output_format(std::string_view name) {
  const auto* found = std::ranges::find(format_names, name);
  if (found != format_names.end()) return static_cast<OutputFormat>(found - format_names.begin());
  return unknown_name(ErrorCode::invalid_argument, "output format", name, output_format_names());
}

}  // namespace notesdb::cli
