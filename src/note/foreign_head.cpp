#include "note/foreign_head.h"

#include <algorithm>
#include <array>

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

std::string_view take_line(std::string_view& text) {
  const std::size_t newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == npos ? text.size() : newline + 1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return line;
}

bool is_closed_by(std::string_view text, std::string_view fence) {
  while (!text.empty())
    if (take_line(text) == fence) return true;
  return false;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

// The key of `Key: value`: letters, digits, `_`, `-`; empty for any other line.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 0 || !is_letter(line.front())) return {};
  const bool is_set_off = colon + 1 == line.size() || line[colon + 1] == ' ';
  const std::string_view key = line.substr(0, colon);
  const bool is_key = std::ranges::all_of(
      key, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
  return is_set_off && is_key ? key : std::string_view();
}

bool is_usual_key(std::string_view key) {
  constexpr std::array<std::string_view, 10> usual{"title",
                                                   "author",
                                                   "authors",
                                                   "date",
                                                   "tags",
                                                   "summary",
                                                   "template",
                                                   "description",
                                                   "slug",
                                                   "category"};
  return std::ranges::any_of(usual, [&](std::string_view word) {
    return std::ranges::equal(word, key, {}, {}, [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  });
}

// Text may begin with `Note: ...`, so every line up to the first space one must be a key's, and
// one of the keys a usual one.
bool begins_with_keys(std::string_view text) {
  bool any_usual = false;
  for (bool first = true; !text.empty(); first = false) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const bool goes_on = !first && (line.starts_with("    ") || line.starts_with('\t'));
    if (goes_on) continue;
    const std::string_view key = key_of(line);
    if (key.empty()) return false;
    any_usual = any_usual || is_usual_key(key);
  }
  return any_usual;
}

bool begins_org(std::string_view line) {
  if (!line.starts_with("#+")) return false;
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 2) return false;
  std::string_view key = line.substr(2, colon - 2);
  if (key.ends_with("[]")) key.remove_suffix(2);
  return std::ranges::all_of(key, [](char c) { return is_letter(c) || c == '_'; });
}

}  // namespace

std::string_view foreign_head(std::string_view text) {
  if (text.empty()) return {};
  std::string_view below = text;
  const std::string_view line = take_line(below);
  switch (line.empty() ? '\0' : line.front()) {
    case ';': return line == ";;;" && is_closed_by(below, ";;;") ? "`;;;` fences" : "";
    case '-':
      if (!line.starts_with("---") || !is_word(line.substr(3))) return {};
      return is_closed_by(below, "---") ? "a fence that names a language (---json, ---toml)" : "";
    case '`':
      return line == "```toml" && is_closed_by(below, "```") ? "a fenced block of TOML" : "";
    case '%': return line.starts_with("% ") ? "a Pandoc title (% title)" : "";
    case '#': return begins_org(line) ? "an Org header (#+KEY:)" : "";
    default: return begins_with_keys(text) ? "MultiMarkdown keys (key: value without fences)" : "";
  }
}

}  // namespace notesdb
