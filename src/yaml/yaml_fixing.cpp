#include "yaml/yaml_fixing.h"

#include "yaml/field_split.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

Fixing never_closed(std::size_t at, char opener) {
  if (opener == '[' || opener == '{') {
    return {at, std::string("the '") + opener + "' is never closed; close it or quote the value"};
  }
  return {at, std::string("the quote ") + opener + " is never closed; close it on this line"};
}

// Text after a closed quote or bracket: most often a quote inside quotes.
Fixing left_over(std::size_t at, char opener) {
  if (opener == '"') {
    return {at, "text follows the closing quote; write a quote inside quotes as \\\""};
  }
  if (opener == '\'') {
    return {at, "text follows the closing quote; write a quote inside single quotes twice"};
  }
  return {at, std::string("text follows the closing bracket; quote the whole value")};
}

}  // namespace

Fixing how_to_fix(std::string_view lines,
                  std::size_t key_end,
                  std::size_t position,
                  std::string_view reason) {
  if (reason.starts_with("illegal tab") && position < lines.size())
    return {position, "a tab cannot indent; use spaces"};
  std::size_t first = lines.find_first_not_of(" \t", key_end);
  Fixing unknown{position, "not valid YAML (" + std::string(reason) + "); quote the value"};
  if (first == npos || lines[first] == '\n' || lines[first] == '\r') {
    const std::size_t tab = lines.find("\n\t");
    if (tab == npos) return unknown;
    return {tab + 1, "a tab cannot indent; use spaces"};
  }
  char c = lines[first];
  if (c == '@' || c == '`' || c == '%' || c == ',') {
    return {first, std::string("a value cannot begin with '") + c + "'; quote it"};
  }
  if (lines.substr(first).starts_with("{{")) {
    return {first, std::string(template_problem)};
  }
  std::size_t line_end = std::min(lines.find('\n', first), lines.size());
  std::string_view value = lines.substr(first, line_end - first);
  if (c == '[' && value.find_first_not_of(" ", 1) != npos) {
    std::size_t hash = value.find('#');
    if (hash != npos && (value[hash - 1] == '[' || value[hash - 1] == ' ')) {
      return {first + hash, "a '#' here begins a comment; quote the item"};
    }
  }
  if (c == '"' || c == '\'' || c == '[' || c == '{') {
    auto end = end_of_enclosed(lines, first);
    return end ? left_over(*end, c) : never_closed(first, c);
  }
  std::size_t colon = value.find(": ");
  if (colon == npos && value.ends_with(':')) colon = value.size() - 1;
  if (colon != npos) {
    return {first + colon, "': ' within an unquoted value; quote the value"};
  }
  return unknown;
}

}  // namespace notesdb
