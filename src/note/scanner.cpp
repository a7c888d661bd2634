#include "note/scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/text.h"
#include "note/quoted.h"

namespace notesdb {

namespace {

constexpr std::size_t longest_key = 1024;  // YAML's own limit for a key on one line
constexpr std::size_t most_keys = 1000;

constexpr std::array<bool, 256> table_of(std::string_view characters) {
  std::array<bool, 256> table{};
  for (char c : characters)
    table[static_cast<unsigned char>(c)] = true;
  return table;
}

// What no plain scalar begins with, and what only a rare one does.
constexpr auto odd_value_start = table_of(",[]{}#&*!|>'\"%@`?:");
constexpr auto odd_key_start = table_of(",[]{}#&*!|>%@`?:-.<~=");

bool in(const std::array<bool, 256>& table, char c) {
  return table[static_cast<unsigned char>(c)];
}

const char* find(const char* p, const char* end, char c) {
  return static_cast<const char*>(std::memchr(p, c, static_cast<std::size_t>(end - p)));
}

const char* skip_spaces(const char* p, const char* end) {
  while (p < end && *p == ' ')
    ++p;
  return p;
}

std::string_view trimmed(const char* begin, const char* end) {
  while (end > begin && end[-1] == ' ')
    --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Whether the control characters of a stretch are newlines, or returns before a newline.
bool only_line_ends(std::string_view text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 || byte == '\n') continue;
    if (byte != '\r' || i + 1 == text.size() || text[i + 1] != '\n') return false;
  }
  return true;
}

// The bytes that the plain subset is made of: UTF-8 without control characters, and a carriage
// return only before a newline. A tab is valid YAML in places; those are for the full reader.
//
// Eight bytes are looked at together; only words with a line end in them byte by byte.
bool suits_subset(std::string_view text) {
  constexpr std::uint64_t each = 0x0101010101010101;
  std::uint64_t high = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    high |= word;
    bool has_control = ((word - each * 0x20) & ~word & (each * 0x80)) != 0;
    if (has_control && !only_line_ends(text, at, at + 8)) return false;
  }
  for (std::size_t i = at; i < text.size(); ++i)
    high |= static_cast<unsigned char>(text[i]);
  if (!only_line_ends(text, at, text.size())) return false;
  return (high & (each * 0x80)) == 0 || is_utf8(text);
}

// A bit for the look of a key, so that most keys need no comparing.
std::uint64_t look_of(std::string_view key) {
  auto first = static_cast<unsigned char>(key.front());
  auto last = static_cast<unsigned char>(key.back());
  return std::uint64_t{1} << ((first * 7U + last * 3U + key.size()) & 63U);
}

// Where plain text ends on its line: before a comment, without blanks. Empty view: it holds a
// colon that makes it a key, or nothing.
std::string_view plain_text(const char* p, const char* end) {
  for (const char* hash = p; (hash = find(hash, end, '#')) != nullptr; ++hash) {
    if (hash[-1] != ' ') continue;
    end = hash;
    break;
  }
  for (const char* colon = p; (colon = find(colon, end, ':')) != nullptr; ++colon) {
    if (colon + 1 == end || colon[1] == ' ') return {};
  }
  return trimmed(p, end);
}

// The closing quote of a scalar whose opening one stands before `p`, or a null pointer.
const char* closing_double(const char* p, const char* end) {
  while (p != nullptr && p < end) {
    if (*p == '"') return p;
    p = *p == '\\' ? skip_escape(p, end) : p + 1;
  }
  return nullptr;
}

const char* closing_single(const char* p, const char* end) {
  while ((p = find(p, end, '\'')) != nullptr) {
    if (p + 1 == end || p[1] != '\'') return p;
    p += 2;
  }
  return nullptr;
}

// Whether nothing but blanks or a comment stands behind a closed value.
bool only_comment(const char* p, const char* end) {
  const char* next = skip_spaces(p, end);
  return next == end || (*next == '#' && next > p);
}

bool may_begin_plain(const char* p, const char* end) {
  if (in(odd_value_start, *p)) return false;
  return *p != '-' || (p + 1 < end && p[1] != ' ');
}

struct Quoted {
  ScannedScalar scalar;
  const char* next = nullptr;  // behind the closing quote; null: not closed on this line
};

Quoted quoted_scalar(const char* p, const char* end) {
  bool single = *p == '\'';
  const char* close = single ? closing_single(p + 1, end) : closing_double(p + 1, end);
  if (close == nullptr) return {};
  return {{{p + 1, static_cast<std::size_t>(close - p - 1)},
           single ? ScannedKind::single_quoted : ScannedKind::double_quoted},
          close + 1};
}

// A scalar that has the rest of its line. False: outside of the subset.
bool scalar_line(const char* p, const char* end, ScannedScalar& scalar) {
  if (*p == '"' || *p == '\'') {
    Quoted quoted = quoted_scalar(p, end);
    if (quoted.next == nullptr || !only_comment(quoted.next, end)) return false;
    scalar = quoted.scalar;
    return true;
  }
  if (!may_begin_plain(p, end)) return false;
  scalar.raw = plain_text(p, end);
  scalar.kind = ScannedKind::plain;
  return !scalar.raw.empty();
}

bool ends_flow_text(char c) {
  return c == ',' || c == ']' || c == '[' || c == '{' || c == '}';
}

// One item of a flow list; `p` moves to the comma or bracket behind it.
bool flow_item(const char*& p, const char* end, ScannedScalar& scalar) {
  if (*p == '"' || *p == '\'') {
    Quoted quoted = quoted_scalar(p, end);
    if (quoted.next == nullptr) return false;
    scalar = quoted.scalar;
    p = skip_spaces(quoted.next, end);
    return true;
  }
  if (!may_begin_plain(p, end)) return false;
  const char* begin = p;
  for (; p < end && !ends_flow_text(*p); ++p) {
    if (*p == '#' && p[-1] == ' ') return false;
    if (*p == ':' && (p + 1 == end || p[1] == ' ' || ends_flow_text(p[1]))) return false;
  }
  scalar.raw = trimmed(begin, p);
  scalar.kind = ScannedKind::plain;
  return scalar.raw != "-";
}

}  // namespace

// The state of one scan: where it is, and which list is open.
struct Scanner::Cursor {
  const char* p = nullptr;    // the line
  const char* end = nullptr;  // its end, without the line ending
  std::uint32_t line = 0;
  std::ptrdiff_t indent = 0;  // of the items of the list that is open
};

bool Scanner::scan(std::string_view text) {
  fields_.clear();
  items_.clear();
  seen_ = 0;
  if (!suits_subset(text)) return false;
  const char* end = text.data() + text.size();
  Cursor at{.p = text.data()};
  while (at.p < end) {
    const char* newline = find(at.p, end, '\n');
    at.end = newline != nullptr ? newline : end;
    if (at.end > at.p && at.end[-1] == '\r') --at.end;
    if (!scan_line(at)) return false;
    at.p = newline != nullptr ? newline + 1 : end;
    ++at.line;
  }
  return fields_.size() <= most_keys;
}

bool Scanner::scan_line(Cursor& at) {
  if (at.p == at.end || *at.p == '#') return true;
  if (*at.p != ' ' && *at.p != '-') return scan_field(at);
  const char* first = skip_spaces(at.p, at.end);
  if (first == at.end || *first == '#') return true;
  return *first == '-' && scan_item(at, first);
}

bool Scanner::scan_field(Cursor& at) {
  const char* p = at.p;
  ScannedField& field = fields_.emplace_back();
  field.line = at.line;
  if (*p == '"' || *p == '\'') {
    Quoted quoted = quoted_scalar(p, at.end);
    if (quoted.next == nullptr) return false;
    field.key = quoted.scalar.raw;
    if (field.key.find(*p == '"' ? '\\' : '\'') != std::string_view::npos) return false;
    p = skip_spaces(quoted.next, at.end);
    if (p == at.end || *p != ':' || (p + 1 < at.end && p[1] != ' ')) return false;
  } else {
    if (in(odd_key_start, *p)) return false;
    do {
      p = find(p + 1, at.end, ':');
      if (p == nullptr) return false;
    } while (p + 1 < at.end && p[1] != ' ');
    field.key = trimmed(at.p, p);
    std::size_t comment = field.key.find(" #");
    if (comment != std::string_view::npos) return false;
  }
  if (field.key.empty() || field.key.size() > longest_key || !add_key(field.key)) return false;
  return scan_value(field, skip_spaces(p + 1, at.end), at.end);
}

bool Scanner::add_key(std::string_view key) {
  std::uint64_t look = look_of(key);
  bool fresh = (seen_ & look) == 0;
  seen_ |= look;
  return fresh || std::none_of(fields_.begin(), fields_.end() - 1, [key](const ScannedField& f) {
           return f.key == key;
         });
}

bool Scanner::scan_value(ScannedField& field, const char* p, const char* end) {
  field.value = {p, 0};
  if (p == end || *p == '#') return true;
  if (*p == '[') return scan_flow_list(field, p, end);
  ScannedScalar scalar;
  if (!scalar_line(p, end, scalar)) return false;
  field.value = scalar.raw;
  field.kind = scalar.kind;
  return true;
}

bool Scanner::scan_flow_list(ScannedField& field, const char* p, const char* end) {
  const char* open = p;
  field.kind = ScannedKind::flow_list;
  field.first_item = static_cast<std::uint32_t>(items_.size());
  p = skip_spaces(p + 1, end);
  while (p < end && *p != ']') {
    ScannedScalar& item = items_.emplace_back();
    item.line = field.line;
    if (!flow_item(p, end, item)) return false;
    if (p == end || (*p != ',' && *p != ']')) return false;
    if (*p == ',') p = skip_spaces(p + 1, end);
  }
  if (p == end) return false;
  field.value = {open, static_cast<std::size_t>(p + 1 - open)};
  field.item_count = static_cast<std::uint32_t>(items_.size()) - field.first_item;
  return only_comment(p + 1, end);
}

bool Scanner::scan_item(Cursor& at, const char* dash) {
  if (fields_.empty()) return false;
  ScannedField& field = fields_.back();
  if (field.kind == ScannedKind::empty) {
    field.kind = ScannedKind::block_list;
    field.first_item = static_cast<std::uint32_t>(items_.size());
    at.indent = dash - at.p;
  }
  if (field.kind != ScannedKind::block_list || dash - at.p != at.indent) return false;
  const char* p = dash + 1;
  if (p < at.end && *p != ' ') return false;
  p = skip_spaces(p, at.end);
  ScannedScalar& item = items_.emplace_back();
  item.raw = {p, 0};
  ++field.item_count;
  if (p < at.end && *p != '#' && !scalar_line(p, at.end, item)) return false;
  item.line = at.line;
  return true;
}

std::string decode_scalar(ScannedKind kind, std::string_view raw) {
  if (kind == ScannedKind::single_quoted) return decode_single_quoted(raw);
  if (kind == ScannedKind::double_quoted) return decode_double_quoted(raw);
  return std::string(raw);
}

}  // namespace notesdb
