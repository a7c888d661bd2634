#include "yaml/field_split.h"

#include "core/text.h"
#include "yaml/quoted.h"

namespace notesdb {

namespace {

using Position = std::size_t;
constexpr auto npos = std::string_view::npos;

// The end of the line that begins at `at`, after its newline.
Position next_line(std::string_view text, Position at) {
  Position newline = text.find('\n', at);
  return newline == npos ? text.size() : newline + 1;
}

// The line that begins at `at`, without its ending.
std::string_view line_at(std::string_view text, Position at) {
  std::string_view line = text.substr(at, next_line(text, at) - at);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Position skip_blanks(std::string_view text, Position at) {
  while (at < text.size() && is_blank(text[at]))
    ++at;
  return at;
}

bool is_empty_line(std::string_view line) {
  return skip_blanks(line, 0) == line.size();
}

bool is_comment_line(std::string_view line) {
  Position first = skip_blanks(line, 0);
  return first < line.size() && line[first] == '#';
}

// Whether an indicator at `at` stands alone: before a space or at the end.
bool stands_alone(std::string_view line, Position at) {
  return at + 1 >= line.size() || is_blank(line[at + 1]);
}

// Whether a line that is not a key line continues with the field above it.
bool continues_field(std::string_view line) {
  return line.empty() || is_blank(line[0]) || line[0] == '#' ||
         (line[0] == '-' && stands_alone(line, 0));
}

std::optional<Position> end_of_double(std::string_view text, Position at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::nullopt;
}

std::optional<Position> end_of_single(std::string_view text, Position at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '\'') continue;
    if (at + 1 == text.size() || text[at + 1] != '\'') return at + 1;
    ++at;
  }
  return std::nullopt;
}

// Quotes open a scalar only where an item may begin; elsewhere they are letters of plain text.
bool begins_item(std::string_view text, Position open, Position at) {
  while (at > open && (is_blank(text[at - 1]) || text[at - 1] == '\n' || text[at - 1] == '\r'))
    --at;
  char before = text[at - 1];
  return before == ',' || before == '[' || before == '{' || before == ':';
}

std::optional<Position> end_of_flow(std::string_view text, Position open) {
  int depth = 0;
  for (Position at = open; at < text.size(); ++at) {
    char c = text[at];
    if ((c == '"' || c == '\'') && begins_item(text, open, at)) {
      auto end = c == '"' ? end_of_double(text, at) : end_of_single(text, at);
      if (!end) return std::nullopt;
      at = *end - 1;
    } else if (c == '#' && (is_blank(text[at - 1]) || text[at - 1] == '\n')) {
      at = next_line(text, at) - 1;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return at + 1;
    }
  }
  return std::nullopt;
}

bool is_enclosing(char c) {
  return c == '"' || c == '\'' || c == '[' || c == '{';
}

struct Key {
  std::string text;
  Position end = 0;  // after the colon
};

std::optional<Key> quoted_key(std::string_view line) {
  auto end = end_of_enclosed(line, 0);
  if (!end) return std::nullopt;
  std::string_view raw = line.substr(1, *end - 2);
  Position colon = skip_blanks(line, *end);
  if (colon == line.size() || line[colon] != ':' || !stands_alone(line, colon)) return std::nullopt;
  if (line[0] == '\'') return Key{decode_single_quoted(raw), colon + 1};
  for (const char *p = raw.data(), *last = p + raw.size(); p != last;) {
    p = *p == '\\' ? skip_escape(p, last) : p + 1;
    if (p == nullptr) return std::nullopt;
  }
  return Key{decode_double_quoted(raw), colon + 1};
}

std::optional<Key> plain_key(std::string_view line) {
  constexpr std::string_view never_first = ",[]{}#&*!|>%@`";
  constexpr std::string_view first_before_text = "-?:";
  if (never_first.find(line[0]) != npos) return std::nullopt;
  if (first_before_text.find(line[0]) != npos && stands_alone(line, 0)) return std::nullopt;
  if (line.starts_with("--- ") || line.starts_with("... ")) return std::nullopt;
  for (Position colon = line.find(':'); colon != npos; colon = line.find(':', colon + 1)) {
    if (!stands_alone(line, colon)) continue;
    Position end = colon;
    while (end > 0 && is_blank(line[end - 1]))
      --end;
    std::string_view key = line.substr(0, end);
    if (key.empty() || key.find(" #") != npos || key.find("\t#") != npos) return std::nullopt;
    return Key{std::string(key), colon + 1};
  }
  return std::nullopt;
}

std::optional<Key> key_of(std::string_view line) {
  if (continues_field(line)) return std::nullopt;
  return line[0] == '"' || line[0] == '\'' ? quoted_key(line) : plain_key(line);
}

// The first line from `at` on that begins with a key, or the end.
Position next_key(std::string_view text, Position at) {
  while (at < text.size() && !key_of(line_at(text, at)))
    at = next_line(text, at);
  return at;
}

// After the quotes or brackets that the value of a field opens, which has lines up to `at` at
// least; npos if they are not closed before the next key, and the field's beginning if it opens
// none. No further: each line is looked at for one field, however many are left open.
Position end_of_open(std::string_view text, const FieldText& field, Position at) {
  const Position first = skip_blanks(text, field.key_end);
  if (field.stray || first >= text.size() || !is_enclosing(text[first])) return field.begin;
  return end_of_enclosed(text.substr(0, next_key(text, at)), first).value_or(npos);
}

// After the last line of a quoted value that is closed below the line of its key, with nothing but a
// comment behind it; else `line_end`.
Position end_of_quoted_lines(std::string_view text, Position key_end, Position line_end) {
  const Position first = skip_blanks(text, key_end);
  if (first >= line_end || (text[first] != '"' && text[first] != '\'')) return line_end;
  const auto closed = end_of_enclosed(text, first);
  if (!closed || *closed <= line_end) return line_end;
  const std::string_view behind = line_at(text, *closed);
  const bool ends = is_empty_line(behind) || (is_blank(behind[0]) && is_comment_line(behind));
  return ends ? next_line(text, *closed) : line_end;
}

// How far the key or item of a line is indented that begins a block text (`  - body: |`), so that
// whatever is indented further is its text; empty if the line begins none.
std::optional<Position> block_text_indent(std::string_view line) {
  const Position comment = line.find(" #");
  const Position end = line.find_last_not_of(" \t\r\n", comment) + 1;
  const Position header = line.find_last_of(" \t", end == 0 ? 0 : end - 1) + 1;
  const std::string_view word = line.substr(header, end - header);
  if (header == 0 || word.empty() || (word[0] != '|' && word[0] != '>')) return std::nullopt;
  if (word.find_first_not_of("+-0123456789", 1) != npos) return std::nullopt;
  Position indent = line.find_first_not_of(' ');
  while (line.substr(indent).starts_with("- "))
    indent = line.find_first_not_of(' ', indent + 1);
  return indent;
}

// The block below a key line: up to the last line that is neither space nor a comment. Within a
// block text (`|`, `>`) an indented `#` is text, and with `+` trailing blank lines are too.
Position end_of_block(std::string_view text,
                      Position begin,
                      Position end,
                      std::string_view header) {
  bool keeps_blanks = header.find('+') != npos;
  std::optional<Position> text_indent = header.empty() ? std::nullopt : std::optional<Position>(0);
  Position last = begin;
  for (Position at = begin; at < end; at = next_line(text, at)) {
    std::string_view line = line_at(text, at);
    if (is_empty_line(line)) {
      if (keeps_blanks) last = next_line(text, at);
      continue;
    }
    bool is_text = text_indent && line.find_first_not_of(' ') > *text_indent;
    if (!is_text && is_comment_line(line)) continue;
    if (!is_text) text_indent = block_text_indent(line);
    last = next_line(text, at);
  }
  return last;
}

// The end of plain text over one or more lines, without the comment after its last one.
Position end_of_plain(std::string_view text, Position begin, Position end) {
  Position last = begin;
  for (Position at = begin; at < end; at = next_line(text, at)) {
    std::string_view line = line_at(text, at);
    if (is_empty_line(line)) continue;
    if (at > begin && is_comment_line(line)) break;
    Position stop = line.size();
    for (Position hash = line.find('#'); hash != npos; hash = line.find('#', hash + 1)) {
      if (hash == 0 || !is_blank(line[hash - 1])) continue;
      stop = hash;
      break;
    }
    bool commented = stop < line.size();
    while (stop > 0 && is_blank(line[stop - 1]))
      --stop;
    last = at + stop;
    if (commented) break;
  }
  return last;
}

}  // namespace

std::optional<std::size_t> end_of_enclosed(std::string_view text, std::size_t begin) {
  if (text[begin] == '"') return end_of_double(text, begin);
  if (text[begin] == '\'') return end_of_single(text, begin);
  return end_of_flow(text, begin);
}

std::vector<FieldText> split_fields(std::string_view text) {
  std::vector<FieldText> fields;
  std::uint32_t number = 0;
  constexpr Position unasked = npos - 1;
  Position open_end = unasked;  // of the last field
  const auto is_open = [&](Position at) {
    if (open_end == unasked) open_end = end_of_open(text, fields.back(), at);
    return open_end > at;
  };
  for (Position at = 0; at < text.size(); at = next_line(text, at), ++number) {
    std::string_view line = line_at(text, at);
    Position end = next_line(text, at);
    if (!fields.empty() && at < fields.back().end) {
      FieldText& field = fields.back();
      const bool is_indented = line.empty() || is_blank(line[0]);
      if (field.unindented == 0 && !is_indented) field.unindented = at;
    } else if (auto key = key_of(line)) {
      const Position key_end = at + key->end;
      end = end_of_quoted_lines(text, key_end, end);
      fields.push_back({std::move(key->text), false, at, end, key_end, number, 0});
      open_end = unasked;
    } else if (!fields.empty() && continues_field(line)) {
      fields.back().end = end;
    } else if (!fields.empty() && is_open(at)) {
      fields.back().end = end;
      if (fields.back().unindented == 0) fields.back().unindented = at;
    } else if (!is_empty_line(line) && !is_comment_line(line)) {
      fields.push_back({"", true, at, end, at, number, 0});
      open_end = unasked;
    }
  }
  return fields;
}

ValueParts find_value_parts(std::string_view text, const FieldText& field) {
  ValueParts parts;
  Position key_line_end = next_line(text, field.key_end);
  Position first = skip_blanks(text, field.key_end);
  bool bare = first >= key_line_end || text[first] == '\n' || text[first] == '\r';
  parts.block_begin = parts.block_end = key_line_end;
  if (bare || text[first] == '#') {
    parts.value_begin = parts.value_end = field.key_end;
    parts.block_end = end_of_block(text, key_line_end, field.end, {});
    parts.lines_end = parts.block_end;
    return parts;
  }
  parts.value_begin = first;
  char c = text[first];
  std::string_view chunk = text.substr(0, field.end);
  if (c == '|' || c == '>') {
    parts.value_end = chunk.find_first_of(" \t\r\n", first);
    if (parts.value_end == npos) parts.value_end = field.end;
    auto header = text.substr(first, parts.value_end - first);
    parts.block_end = end_of_block(text, key_line_end, field.end, header);
    parts.lines_end = parts.block_end;
    return parts;
  }
  auto closed = is_enclosing(c) ? end_of_enclosed(chunk, first) : std::nullopt;
  parts.value_end = closed ? *closed : end_of_plain(text, first, field.end);
  parts.lines_end = next_line(text, parts.value_end);
  parts.block_begin = parts.block_end = parts.lines_end;
  return parts;
}

}  // namespace notesdb
