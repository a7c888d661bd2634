#include "index/dictionary.h"

#include <algorithm>
#include <functional>

#include "note/scalar.h"

namespace notesdb {
namespace {

// A mapped base of more spellings than this is not searched for one that is added.
constexpr std::size_t largest_searched_base = 4096;

// The first byte of a spelling, and of each item of a list.
constexpr char empty_mark = 'e';
constexpr char plain_mark = 'p';
constexpr char single_quoted_mark = 's';
constexpr char double_quoted_mark = 'd';
constexpr char list_mark = 'l';
constexpr char node_mark = 'n';

char mark_of(ScannedKind kind) {
  switch (kind) {
    case ScannedKind::plain: return plain_mark;
    case ScannedKind::single_quoted: return single_quoted_mark;
    case ScannedKind::double_quoted: return double_quoted_mark;
    default: return empty_mark;
  }
}

ScannedKind kind_of(char mark) {
  switch (mark) {
    case plain_mark: return ScannedKind::plain;
    case single_quoted_mark: return ScannedKind::single_quoted;
    case double_quoted_mark: return ScannedKind::double_quoted;
    default: return ScannedKind::empty;
  }
}

NodeStyle style_of(ScannedKind kind) {
  if (kind == ScannedKind::single_quoted) return NodeStyle::single_quoted;
  if (kind == ScannedKind::double_quoted) return NodeStyle::double_quoted;
  return NodeStyle::plain;
}

Node scalar_node(ScannedKind kind, std::string_view raw) {
  Node node;
  node.style = style_of(kind);
  node.text = decode_scalar(kind, raw);
  if (node.style == NodeStyle::plain && is_null_text(node.text)) node.text.clear();
  return node;
}

// Items stand one behind the other, a newline behind each: a scanned scalar has none inside.
Node list_node(std::string_view items) {
  Node list;
  list.kind = NodeKind::list;
  list.style = NodeStyle::block;
  for (std::size_t at = 0; at < items.size();) {
    const std::size_t end = items.find('\n', at);
    list.items.push_back(scalar_node(kind_of(items[at]), items.substr(at + 1, end - at - 1)));
    at = end + 1;
  }
  return list;
}

void put_text(std::string_view text, std::string& out) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

std::string_view take_text(std::string_view& from) {
  std::size_t length = 0;
  std::size_t at = 0;
  while (from[at] != ':')
    length = length * 10 + static_cast<std::size_t>(from[at++] - '0');
  const std::string_view text = from.substr(at + 1, length);
  from.remove_prefix(at + 1 + length);
  return text;
}

// kind, style, text, then the items or the members: all a value depends on, without the places.
void put_node(const Node& node, std::string& out) {
  out += static_cast<char>('a' + static_cast<int>(node.kind));
  out += static_cast<char>('a' + static_cast<int>(node.style));
  put_text(node.text, out);
  put_text(std::to_string(node.items.size()), out);
  put_text(std::to_string(node.members.size()), out);
  for (const Node& item : node.items)
    put_node(item, out);
  for (const NodeMember& member : node.members) {
    put_text(member.key, out);
    put_node(member.value, out);
  }
}

Node take_node(std::string_view& from) {
  Node node;
  node.kind = static_cast<NodeKind>(from[0] - 'a');
  node.style = static_cast<NodeStyle>(from[1] - 'a');
  from.remove_prefix(2);
  node.text = take_text(from);
  const auto items = std::stoul(std::string(take_text(from)));
  const auto members = std::stoul(std::string(take_text(from)));
  for (std::size_t i = 0; i < items; ++i)
    node.items.push_back(take_node(from));
  for (std::size_t i = 0; i < members; ++i) {
    std::string key(take_text(from));
    node.members.push_back({std::move(key), take_node(from)});
  }
  return node;
}

Reading read_spelling(const Column& column, std::string_view spelling) {
  const std::string_view rest = spelling.substr(1);
  switch (spelling.front()) {
    case list_mark: return read_as(column, list_node(rest));
    case node_mark: {
      std::string_view from = rest;
      return read_as(column, take_node(from));
    }
    default: {
      const ScannedKind kind = kind_of(spelling.front());
      return read_as(column, style_of(kind), decode_scalar(kind, rest));
    }
  }
}

// Most spellings are plain text in a text column, where there is nothing to convert.
bool is_plain_text(const Column& column, std::string_view spelling) {
  const bool textual = column.type == ColumnType::text || column.type == ColumnType::select ||
                       column.type == ColumnType::url;
  return textual && spelling.front() == plain_mark && !is_null_text(spelling.substr(1));
}

}  // namespace

std::uint32_t Dictionary::add(const Scanner& scanner, const ScannedField& field) {
  scratch_.clear();
  const bool is_list =
      field.kind == ScannedKind::block_list || field.kind == ScannedKind::flow_list;
  scratch_ += is_list ? list_mark : mark_of(field.kind);
  if (is_list) {
    for (const ScannedScalar& item : scanner.items(field)) {
      scratch_ += mark_of(item.kind);
      scratch_ += item.raw;
      scratch_ += '\n';
    }
  } else {
    scratch_ += field.value;
  }
  return add_spelling(scratch_);
}

std::uint32_t Dictionary::add(const Node& node) {
  scratch_.clear();
  if (node.is_null()) {
    scratch_ += empty_mark;
  } else if (node.is_scalar() && node.style == NodeStyle::plain) {
    scratch_ += plain_mark;
    scratch_ += node.text;
  } else {
    scratch_ += node_mark;
    put_node(node, scratch_);
  }
  return add_spelling(scratch_);
}

std::vector<std::uint32_t> Dictionary::absorb(const Dictionary& other) {
  std::vector<std::uint32_t> codes(other.size() + 1);
  for (std::uint32_t code = 1; code <= other.size(); ++code) {
    std::uint32_t* slot = slot_of(other.spelling(code));
    if (*slot == 0) *slot = append(other.spelling(code), other.fits(code));
    codes[code] = *slot;
  }
  return codes;
}

bool Dictionary::fits(std::uint32_t code) const {
  const std::size_t mapped = base_.fits.size();
  return (code <= mapped ? base_.fits[code - 1] : added_.fits[code - 1 - mapped]) != 0;
}

Value Dictionary::value(std::uint32_t code) const {
  const std::string_view found = spelling(code);
  if (is_plain_text(column_, found)) return found.substr(1);
  return read_spelling(column_, found).value;
}

std::size_t Dictionary::memory() const {
  return base_.bytes.size() + base_.ends.size_bytes() + base_.fits.size() +
         added_.bytes.capacity() + added_.ends.capacity() * sizeof(std::uint64_t) +
         added_.fits.capacity() + slots_.capacity() * sizeof(std::uint32_t);
}

const Dictionary::Spellings& Dictionary::own() {
  const bool is_owned = base_.bytes.data() == owned_base_.bytes.data();
  if (added_.ends.empty() && (is_owned || base_.ends.empty())) return base_;
  Block all;
  all.bytes.assign(base_.bytes.begin(), base_.bytes.end());
  all.ends.assign(base_.ends.begin(), base_.ends.end());
  all.fits.assign(base_.fits.begin(), base_.fits.end());
  for (const std::uint64_t end : added_.ends)
    all.ends.push_back(base_.bytes.size() + end);
  all.bytes += added_.bytes;
  all.fits.insert(all.fits.end(), added_.fits.begin(), added_.fits.end());
  owned_base_ = std::move(all);
  added_ = Block{};
  base_ = {owned_base_.bytes, owned_base_.ends, owned_base_.fits};
  return base_;
}

std::string_view Dictionary::spelling(std::uint32_t code) const {
  const std::size_t mapped = base_.ends.size();
  const bool is_added = code > mapped;
  const std::size_t at = is_added ? code - 1 - mapped : code - 1;
  const auto ends = is_added ? std::span<const std::uint64_t>(added_.ends) : base_.ends;
  const std::uint64_t begin = at == 0 ? 0 : ends[at - 1];
  const char* bytes = is_added ? added_.bytes.data() : base_.bytes.data();
  return {bytes + begin, static_cast<std::size_t>(ends[at] - begin)};
}

std::uint32_t Dictionary::add_spelling(std::string_view spelling) {
  std::uint32_t* slot = slot_of(spelling);
  if (*slot != 0) return *slot;
  const bool fits = is_plain_text(column_, spelling) || read_spelling(column_, spelling).fits();
  return *slot = append(spelling, fits);
}

std::uint32_t Dictionary::append(std::string_view spelling, bool fits) {
  added_.bytes += spelling;
  added_.ends.push_back(added_.bytes.size());
  added_.fits.push_back(fits ? 1 : 0);
  return size();
}

// The slot that holds the code of a spelling, or the free one where it belongs.
std::uint32_t* Dictionary::slot_of(std::string_view wanted) {
  const std::size_t searched = size() + 1 - first_searched_;
  if (slots_.empty() || (searched + 1) * 3 > slots_.size() * 2) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = std::hash<std::string_view>{}(wanted)&mask;
  while (slots_[at] != 0 && spelling(slots_[at]) != wanted)
    at = (at + 1) & mask;
  return &slots_[at];
}

void Dictionary::grow() {
  if (slots_.empty() && base_.ends.size() > largest_searched_base) {
    first_searched_ = static_cast<std::uint32_t>(base_.ends.size()) + 1;
  }
  std::size_t slots = std::max<std::size_t>(slots_.size() * 2, 16);
  while ((size() + 2 - first_searched_) * 3 > slots * 2)
    slots *= 2;
  slots_.assign(slots, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t code = first_searched_; code <= size(); ++code) {
    std::size_t at = std::hash<std::string_view>{}(spelling(code)) & mask;
    while (slots_[at] != 0)
      at = (at + 1) & mask;
    slots_[at] = code;
  }
}

}  // namespace notesdb
