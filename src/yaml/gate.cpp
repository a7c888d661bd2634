#include "yaml/gate.h"

#include <algorithm>

#include "core/text.h"
#include "yaml/field_split.h"
#include "yaml/quoted.h"

namespace notesdb {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view opening = "[{,:";  // after these an item begins

std::optional<YamlRefusal> check_comment(std::string_view text, std::size_t end) {
  if (end >= text.size() || text[end] != '#') return std::nullopt;
  return YamlRefusal{end, "a comment needs a space before its '#'"};
}

// yaml-cpp knows escapes that YAML does not.
std::optional<YamlRefusal> check_escapes(std::string_view raw, std::size_t begin) {
  const char* end = raw.data() + raw.size();
  for (const char* p = raw.data(); p < end;) {
    const bool folds = *p == '\\' && p + 1 < end && (p[1] == '\n' || p[1] == '\r');
    const char* next = *p == '\\' && !folds ? skip_escape(p, end) : p + 1;
    if (next == nullptr) {
      return YamlRefusal{begin + static_cast<std::size_t>(p - raw.data()),
                         "there is no such escape in double quotes; write a backslash as two"};
    }
    p = next;
  }
  return std::nullopt;
}

// Each line but the first and blank ones is deeper than what the quotes stand in; at the top level,
// where every reader of YAML takes lines at column 0 too, as deep.
std::optional<YamlRefusal> check_indents(std::string_view raw,
                                         std::size_t begin,
                                         std::size_t parent_indent) {
  std::optional<YamlRefusal> shallow;
  for (std::size_t at = raw.find('\n'); at != raw.npos; at = raw.find('\n', at + 1)) {
    if (raw.substr(at + 1).starts_with('\t')) {
      return YamlRefusal{begin + at + 1, "a tab cannot indent; use spaces"};
    }
    const std::size_t first = std::min(raw.find_first_not_of(' ', at + 1), raw.size());
    const bool is_blank = first < raw.size() && (raw[first] == '\n' || raw[first] == '\r');
    if (shallow || is_blank || parent_indent == 0 || first - at - 1 > parent_indent) continue;
    shallow = {begin + at + 1, "this line continues the value above; indent it"};
  }
  return shallow;
}

// Whether the key that begins here has its colon on this line.
bool ends_with_colon(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const auto end = quote == '"' || quote == '\'' ? end_of_enclosed(text, begin) : begin;
  if (!end) return false;
  const std::string_view line = text.substr(*end, text.find('\n', *end) - *end);
  for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (at + 1 == line.size() || blanks.find(line[at + 1]) != blanks.npos) return true;
  }
  return false;
}

}  // namespace

std::optional<YamlRefusal> check_bytes(std::string_view text) {
  if (!is_utf8(text)) return YamlRefusal{0, "the text is not UTF-8"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      return YamlRefusal{i, "a carriage return stands alone; end the line with a newline"};
    }
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') {
      return YamlRefusal{i,
                         "a control character stands in the text; write it as an escape in quotes"};
    }
  }
  return std::nullopt;
}

std::optional<YamlRefusal> check_quotes(std::string_view text,
                                        std::size_t begin,
                                        std::size_t parent_indent) {
  const auto end = end_of_enclosed(text, begin);
  if (!end) return YamlRefusal{begin, "the quote opened here is never closed"};
  if (auto refusal = check_comment(text, *end)) return refusal;
  const std::string_view raw = text.substr(begin + 1, *end - begin - 2);
  if (text[begin] == '"') {
    if (auto refusal = check_escapes(raw, begin + 1)) return refusal;
  }
  return check_indents(raw, begin + 1, parent_indent);
}

std::optional<YamlRefusal> check_brackets(std::string_view text, std::size_t begin) {
  const auto end = end_of_enclosed(text, begin);
  if (!end) return YamlRefusal{begin, "the bracket opened here is never closed"};
  return check_comment(text, *end);
}

std::optional<YamlRefusal> check_size(std::string_view text, std::size_t begin) {
  int depth = 0;
  std::size_t values = 0;
  char before = ' ';  // the last one that is no space
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    const bool opens_quote = (c == '"' || c == '\'') && opening.find(before) != opening.npos;
    if (c == '#' && at > begin && blanks.find(text[at - 1]) != blanks.npos) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (opens_quote) at = end_of_enclosed(text, at).value_or(text.size()) - 1;
    if (c == '[' || c == '{') ++depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    if ((c == ']' || c == '}') && --depth <= 0) return std::nullopt;
    if (depth > YamlLimits::depth) {
      return YamlRefusal{at, "values nested deeper than 32 levels are not read"};
    }
    if (values > YamlLimits::nodes) {
      return YamlRefusal{at, "more than 10000 values in one field are not read"};
    }
    if (blanks.find(c) == blanks.npos) before = c;
  }
  return std::nullopt;
}

std::optional<YamlRefusal> check_null_item(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (rest.starts_with(word)) return std::nullopt;
  }
  return YamlRefusal{at, "a list item is missing between two commas"};
}

std::optional<YamlRefusal> check_key_alone(std::string_view text, std::size_t begin) {
  const std::size_t before = text.find_last_not_of(" \t", begin == 0 ? 0 : begin - 1);
  const bool is_explicit = begin > 0 && before < begin && text[before] == '?';
  if (is_explicit || ends_with_colon(text, begin)) return std::nullopt;
  return YamlRefusal{begin,
                     "this line is not a key with a colon; indent it deeper if it continues the "
                     "value above"};
}

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

namespace {

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
