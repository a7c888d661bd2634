#include "yaml/block_text.h"

#include <algorithm>

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

std::size_t skip_header(std::string_view text, std::size_t at) {
  constexpr std::string_view indicators = "0123456789+-";
  for (++at; at < text.size() && indicators.find(text[at]) != npos;)
    ++at;
  return at;
}

bool has_indent(std::string_view header) {
  return header.find_first_of("123456789") != npos;
}

bool ends_line(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == '\n' || text[at] == '\r';
}

// Blank lines above the first line of text say how deep it may be at least.
std::optional<BlockTextProblem> check_leading_blanks(std::string_view text,
                                                     std::size_t begin,
                                                     std::size_t parent_indent) {
  std::size_t deepest = 0;
  std::size_t deepest_at = begin;
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t first = std::min(text.find_first_not_of(' ', at), text.size());
    const std::size_t indent = first - at;
    if (!ends_line(text, first)) {
      if (indent <= parent_indent || indent >= deepest) return std::nullopt;
      return BlockTextProblem{deepest_at,
                              "this blank line is indented deeper than the text below it"};
    }
    if (indent > deepest) {
      deepest = indent;
      deepest_at = at;
    }
    const std::size_t newline = text.find('\n', first);
    at = newline == npos ? text.size() : newline + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<BlockTextProblem> check_block_text(std::string_view text,
                                                 std::size_t begin,
                                                 std::size_t parent_indent) {
  const std::size_t behind = skip_header(text, begin);
  if (behind < text.size() && text[behind] == '#') {
    return BlockTextProblem{behind, "a comment needs a space before its '#'"};
  }
  if (has_indent(text.substr(begin, behind - begin))) return std::nullopt;
  const std::size_t newline = text.find('\n', behind);
  if (newline == npos) return std::nullopt;
  return check_leading_blanks(text, newline + 1, parent_indent);
}

}  // namespace notesdb
