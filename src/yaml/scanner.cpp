#include "yaml/scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "core/text.h"
#include "yaml/node.h"
#include "yaml/quoted.h"
#include "yaml/scalar.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace notesdb {

namespace {

constexpr std::size_t block_size = 64;

// A bit for each byte of a block.
struct Bits {
  std::uint64_t line_ends = 0;
  std::uint64_t colons = 0;
  std::uint64_t hashes = 0;
  std::uint64_t blanks = 0;
  std::uint64_t below_blank = 0;
  std::uint64_t high = 0;

  // Those of the last bytes of the block, as if a block began with them.
  Bits from(std::size_t first) const {
    return {line_ends >> first,
            colons >> first,
            hashes >> first,
            blanks >> first,
            below_blank >> first,
            high >> first};
  }
};

#ifdef __SSE2__

std::uint64_t bits_of(__m128i hits) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(hits));
}

Bits look(const char* block) {
  Bits bits;
  for (unsigned at = 0; at < block_size; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    const __m128i low = _mm_min_epu8(part, _mm_set1_epi8(0x1F));
    bits.line_ends |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('\n'))) << at;
    bits.colons |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8(':'))) << at;
    bits.hashes |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('#'))) << at;
    bits.blanks |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8(' '))) << at;
    bits.below_blank |= bits_of(_mm_cmpeq_epi8(low, part)) << at;
    bits.high |= bits_of(part) << at;
  }
  return bits;
}

#else

Bits look(const char* block) {
  Bits bits;
  for (unsigned at = 0; at < block_size; ++at) {
    const auto byte = static_cast<unsigned char>(block[at]);
    bits.line_ends |= std::uint64_t{byte == '\n'} << at;
    bits.colons |= std::uint64_t{byte == ':'} << at;
    bits.hashes |= std::uint64_t{byte == '#'} << at;
    bits.blanks |= std::uint64_t{byte == ' '} << at;
    bits.below_blank |= std::uint64_t{byte < 0x20} << at;
    bits.high |= std::uint64_t{byte >= 0x80} << at;
  }
  return bits;
}

#endif

// The last block of a text, of which `count` bytes are in no block before: as if it began with
// them.
Bits look_at_last(std::string_view text, std::size_t count) {
  const std::size_t first = block_size - count;
  if (text.size() >= block_size) return look(text.data() + text.size() - block_size).from(first);
  char copy[block_size] = {};
  std::memcpy(copy + first, text.data() + text.size() - count, count);
  return look(copy).from(first);
}

}  // namespace

void TextMarks::mark(std::string_view text) {
  if (places_.size() <= text.size()) places_.resize(text.size() + 1);
  std::uint32_t* out = places_.data();
  std::uint64_t colon_before = 0;  // in the lowest bit, of the byte before the block
  std::uint64_t blank_before = 0;
  std::uint64_t controls = 0;
  std::uint64_t high = 0;
  const auto take = [&](const Bits& bits, std::size_t begin) {
    controls |= bits.below_blank ^ bits.line_ends;
    high |= bits.high;
    const std::uint64_t behind_colons = bits.colons << 1U | colon_before;
    const std::uint64_t behind_blanks = bits.blanks << 1U | blank_before;
    colon_before = bits.colons >> (block_size - 1);
    blank_before = bits.blanks >> (block_size - 1);
    std::uint64_t marks = bits.line_ends | (behind_colons & (bits.blanks | bits.below_blank)) |
                          (behind_blanks & bits.hashes);
    for (; marks != 0; marks &= marks - 1)
      *out++ = static_cast<std::uint32_t>(begin + static_cast<unsigned>(std::countr_zero(marks)));
  };
  std::size_t at = 0;
  for (; text.size() - at >= block_size; at += block_size)
    take(look(text.data() + at), at);
  if (at < text.size()) take(look_at_last(text, text.size() - at), at);
  *out = static_cast<std::uint32_t>(text.size());
  has_controls_ = controls != 0;
  has_high_bytes_ = high != 0;
}

namespace {

constexpr std::size_t max_branches = 4096;
constexpr std::size_t max_siblings = 16;

}  // namespace

bool KeyTree::take(std::string_view key, bool is_plain) {
  if (place_ == no_place || branches_.empty()) return false;
  for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
    Branch& branch = branches_[next];
    if (branch.key != key) continue;
    branch.is_plain |= is_plain;
    place_ = next;
    return true;
  }
  return false;
}

void KeyTree::add(std::string_view key, bool is_plain) {
  if (place_ == no_place) return;
  if (branches_.empty()) branches_.emplace_back();
  std::size_t siblings = 0;
  std::uint32_t last = 0;
  for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
    last = next;
    ++siblings;
  }
  if (branches_.size() == max_branches || siblings == max_siblings) {
    place_ = no_place;
    return;
  }
  const auto added = static_cast<std::uint32_t>(branches_.size());
  (last == 0 ? branches_[place_].first : branches_[last].sibling) = added;
  Branch& branch = branches_.emplace_back();
  branch.key = key;
  branch.is_plain = is_plain;
  place_ = added;
}

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

namespace {

// The columns of places that are asked for from left to right. Only what is new of a line is looked
// at, so that a list of a hundred thousand items on one line is one pass over it.
class Columns {
 public:
  explicit Columns(std::string_view text) : text_(text) {}

  std::uint32_t of(const char* place) {
    const auto offset = static_cast<std::size_t>(place - text_.data());
    const std::string_view fresh = text_.substr(seen_, offset - seen_);
    if (const std::size_t newline = fresh.rfind('\n'); newline != fresh.npos)
      line_begin_ = seen_ + newline + 1;
    seen_ = offset;
    return static_cast<std::uint32_t>(offset - line_begin_) + 1;
  }

 private:
  std::string_view text_;
  std::size_t seen_ = 0;
  std::size_t line_begin_ = 0;
};

NodeStyle style_of(ScannedKind kind) {
  if (kind == ScannedKind::single_quoted) return NodeStyle::single_quoted;
  if (kind == ScannedKind::double_quoted) return NodeStyle::double_quoted;
  return NodeStyle::plain;
}

Node scalar_node(const ScannedScalar& scalar, Columns& columns, std::uint32_t first_line) {
  Node node;
  node.style = style_of(scalar.kind);
  node.line = first_line + scalar.line;
  node.column = columns.of(scalar.raw.data());
  if (node.style != NodeStyle::plain) {
    node.text = decode_scalar(scalar.kind, scalar.raw);
    --node.column;
  } else if (!is_null_text(scalar.raw)) {
    node.text = scalar.raw;
  }
  return node;
}

}  // namespace

Node to_node(const Scanner& scanner,
             const ScannedField& field,
             std::string_view text,
             std::uint32_t first_line) {
  Columns columns(text);
  bool block = field.kind == ScannedKind::block_list;
  if (!block && field.kind != ScannedKind::flow_list) {
    return scalar_node({field.value, field.kind, field.line}, columns, first_line);
  }
  Node node;
  node.kind = NodeKind::list;
  node.style = block ? NodeStyle::block : NodeStyle::flow;
  node.column = block ? 0 : columns.of(field.value.data());
  node.items.reserve(field.item_count);
  for (const ScannedScalar& item : scanner.items(field))
    node.items.push_back(scalar_node(item, columns, first_line));
  node.line = block ? node.items.front().line : first_line + field.line;
  return node;
}

}  // namespace notesdb
