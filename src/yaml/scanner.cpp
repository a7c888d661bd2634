#include "yaml/scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/text.h"
#include "yaml/quoted.h"
#include "yaml/span.h"

namespace notesdb {

namespace {

constexpr std::size_t longest_key = 1024;  // YAML's own limit for a key on one line
constexpr std::size_t max_keys = 1000;

constexpr std::array<bool, 256> table_of(std::string_view characters) {
  std::array<bool, 256> table{};
  for (char c : characters)
    table[static_cast<unsigned char>(c)] = true;
  return table;
}

// What no plain scalar begins with, and what only a rare one does.
constexpr auto odd_value_start = table_of(",[]{}#&*!|>'\"%@`?:");
constexpr auto odd_key_start = table_of(",[]{}#&*!|>%@`?:-.<~=");
// What ends plain text in a flow list, and what may.
constexpr auto flow_marks = table_of(",[]{}");
constexpr auto odd_in_flow = table_of(",[]{}#:");

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

// Whether the control characters of a text are newlines, or returns before a newline. A tab is
// valid YAML in places; those are for the full reader.
bool only_line_ends(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 || byte == '\n') continue;
    if (byte != '\r' || i + 1 == text.size() || text[i + 1] != '\n') return false;
  }
  return true;
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

// Whether nothing but spaces or a comment stands after a closed value.
bool only_comment(const char* p, const char* end) {
  const char* next = skip_spaces(p, end);
  return next == end || (*next == '#' && next > p);
}

bool may_begin_plain(const char* p, const char* end) {
  if (in(odd_value_start, *p)) return false;
  return *p != '-' || (p + 1 < end && p[1] != ' ');
}

struct Quoted {
  std::string_view raw;
  ScannedKind kind = ScannedKind::plain;
  const char* next = nullptr;  // after the closing quote; null: not closed on this line
};

Quoted quoted_scalar(const char* p, const char* end) {
  bool single = *p == '\'';
  const char* close = single ? closing_single(p + 1, end) : closing_double(p + 1, end);
  if (close == nullptr) return {};
  return {{p + 1, static_cast<std::size_t>(close - p - 1)},
          single ? ScannedKind::single_quoted : ScannedKind::double_quoted,
          close + 1};
}

// One item of a flow list; `p` moves to the comma or bracket after it.
bool flow_item(const char*& p, const char* end, ScannedScalar& scalar) {
  if (*p == '"' || *p == '\'') {
    Quoted quoted = quoted_scalar(p, end);
    if (quoted.next == nullptr) return false;
    scalar.raw = quoted.raw;
    scalar.kind = quoted.kind;
    p = skip_spaces(quoted.next, end);
    return true;
  }
  if (!may_begin_plain(p, end)) return false;
  const char* begin = p;
  for (; p < end; ++p) {
    if (!in(odd_in_flow, *p)) continue;
    if (*p == '#') {
      if (p[-1] == ' ') return false;
    } else if (*p == ':') {
      if (p + 1 == end || p[1] == ' ' || in(flow_marks, p[1])) return false;
    } else {
      break;
    }
  }
  scalar.raw = trimmed(begin, p);
  scalar.kind = ScannedKind::plain;
  return scalar.raw != "-";
}

}  // namespace

// The state of one scan: where it is, and which list is open.
struct Scanner::Cursor {
  const char* text = nullptr;
  const std::uint32_t* marks = nullptr;  // the places on the line, and those after it
  const char* p = nullptr;               // the line
  const char* end = nullptr;             // its end, without the line ending
  std::uint32_t line = 0;
  std::ptrdiff_t indent = 0;  // of the items of the list that is open

  // The first marked place at `from` or after it, on the line or where the next ones begin.
  const char* mark_from(const char* from) const {
    const std::uint32_t* mark = marks;
    while (text + *mark < from)
      ++mark;
    return text + *mark;
  }
};

bool Scanner::scan_line(Cursor& at) {
  if (at.p == at.end || *at.p == '#') return true;
  if (*at.p != ' ' && *at.p != '-') return scan_field(at);
  const char* first = skip_spaces(at.p, at.end);
  if (first == at.end || *first == '#') return true;
  return *first == '-' && scan_item(at, first);
}

bool Scanner::scan_field(const Cursor& at) {
  ScannedField& field = fields_.emplace_back();
  field.line = at.line;
  // Nearly always a key that texts before had here ends at the first mark.
  const char* behind = at.text + *at.marks;
  const std::string_view key(at.p, static_cast<std::size_t>(behind - at.p) - 1);
  if (behind[-1] == ':' && keys_.follow(key)) {
    field.key = key;
  } else {
    behind = scan_key(at, field.key);
    if (behind == nullptr) return false;
  }
  const char* p = skip_spaces(behind, at.end);
  field.value = {p, 0};
  if (p == at.end || *p == '#') return true;
  return *p == '[' ? scan_flow_list(field, p, at.end) : scan_scalar(at, p, field.value, field.kind);
}

// Any key. What is after its colon; a null pointer: outside of the subset.
const char* Scanner::scan_key(const Cursor& at, std::string_view& key) {
  const char* p = at.p;
  const bool is_plain = *p != '"' && *p != '\'';
  if (is_plain) {
    if (in(odd_key_start, *p)) return nullptr;
    p = at.text + *at.marks - 1;
    if (p >= at.end || *p != ':') return nullptr;
    key = trimmed(at.p, p);
  } else {
    Quoted quoted = quoted_scalar(p, at.end);
    if (quoted.next == nullptr) return nullptr;
    key = quoted.raw;
    if (key.find(*p == '"' ? '\\' : '\'') != std::string_view::npos) return nullptr;
    p = skip_spaces(quoted.next, at.end);
    if (p == at.end || *p != ':' || (p + 1 < at.end && p[1] != ' ')) return nullptr;
  }
  if (key.empty() || key.size() > longest_key || fields_.size() > max_keys) return nullptr;
  return add_key(key, is_plain) ? p + 1 : nullptr;
}

// A scalar that has the rest of its line. False: outside of the subset.
bool Scanner::scan_scalar(const Cursor& at,
                          const char* p,
                          std::string_view& raw,
                          ScannedKind& kind) {
  if (*p == '"' || *p == '\'') {
    Quoted quoted = quoted_scalar(p, at.end);
    raw = quoted.raw;
    kind = quoted.kind;
    return quoted.next != nullptr && only_comment(quoted.next, at.end);
  }
  if (!may_begin_plain(p, at.end)) return false;
  // It ends with its line or at a comment; a colon would make a key of it.
  const char* stop = at.mark_from(p);
  raw = trimmed(p, std::min(stop, at.end));
  kind = ScannedKind::plain;
  return stop > at.end || stop[-1] != ':';
}

// Whether no field before has this key.
bool Scanner::add_key(std::string_view key, bool is_plain) {
  if (keys_.take(key, is_plain)) return true;
  const auto before = std::span(fields_).first(fields_.size() - 1);
  if (std::ranges::find(before, key, &ScannedField::key) != before.end()) return false;
  keys_.add(key, is_plain);
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
  if (p < at.end && *p != '#' && !scan_scalar(at, p, item.raw, item.kind)) {
    return false;
  }
  item.line = at.line;
  return true;
}

bool Scanner::scan(std::string_view text) {
  fields_.clear();
  items_.clear();
  keys_.restart();
  if (text.size() > max_fields_size) return false;
  marks_.mark(text);
  if (marks_.has_controls() && !only_line_ends(text)) return false;
  if (marks_.has_high_bytes() && !is_utf8(text)) return false;
  Cursor at{.text = text.data(), .marks = marks_.places(), .p = text.data()};
  const char* const end = text.data() + text.size();
  while (at.p < end) {
    const std::uint32_t* mark = at.marks;
    while (*mark < text.size() && text[*mark] != '\n')
      ++mark;
    at.end = at.text + *mark;
    if (at.end > at.p && at.end[-1] == '\r') --at.end;
    if (!scan_line(at)) return false;
    if (*mark == text.size()) break;
    at.p = at.text + *mark + 1;
    at.marks = mark + 1;
    ++at.line;
  }
  return true;
}

std::string decode_scalar(ScannedKind kind, std::string_view raw) {
  if (kind == ScannedKind::single_quoted) return decode_single_quoted(raw);
  if (kind == ScannedKind::double_quoted) return decode_double_quoted(raw);
  return std::string(raw);
}

}  // namespace notesdb
