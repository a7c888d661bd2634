#include "index/dictionary.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace notesdb {

namespace {

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
    case ScannedKind::block_list:
    case ScannedKind::flow_list: return list_mark;
    case ScannedKind::empty: break;
  }
  return empty_mark;
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

// Items stand one after the other, a newline after each: a scanned scalar has none inside.
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

// Digits that no reader of numbers would round or write otherwise.
bool is_plain_number(std::string_view text) {
  constexpr std::size_t max_digits = 15;
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.front() != '0' && text.size() <= max_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_plain_boolean(std::string_view text) {
  return text == "true" || text == "false";
}

// Whether its values are texts, however they look.
bool is_textual(const Column& column) {
  switch (column.type) {
    case ColumnType::text:
    case ColumnType::select:
    case ColumnType::url:
    case ColumnType::date:
    case ColumnType::datetime: return column.formats.empty();
    case ColumnType::relation: return !column.multiple;
    default: return false;
  }
}

}  // namespace

EncodedValue encoded_value_of(const Scanner& scanner,
                              const ScannedField& field,
                              std::string& scratch) {
  const char mark = mark_of(field.kind);
  if (mark != list_mark) return {mark, field.value};
  const auto items = scanner.items(field);
  std::size_t size = 0;
  for (const ScannedScalar& item : items)
    size += item.raw.size() + 2;
  scratch.resize(size);
  char* out = scratch.data();
  for (const ScannedScalar& item : items) {
    *out++ = mark_of(item.kind);
    out = std::ranges::copy(item.raw, out).out;
    *out++ = '\n';
  }
  return {mark, scratch};
}

EncodedValue encoded_value_of(const Node& node, std::string& scratch) {
  if (node.is_null()) return {empty_mark, {}};
  if (node.is_scalar() && node.style == NodeStyle::plain) return {plain_mark, node.text};
  scratch.clear();
  put_node(node, scratch);
  return {node_mark, scratch};
}

Reading read_encoded_value(const Column& column, const EncodedValue& encoded) {
  if (encoded.mark == list_mark) return read_as(column, list_node(encoded.text));
  if (encoded.mark == node_mark) {
    std::string_view from = encoded.text;
    return read_as(column, take_node(from));
  }
  const ScannedKind kind = kind_of(encoded.mark);
  const NodeStyle style = style_of(kind);
  if (style == NodeStyle::plain) return read_as(column, style, encoded.text);
  return read_as(column, style, decode_scalar(kind, encoded.text));
}

bool encoded_value_fits(const Column& column, const EncodedValue& encoded) {
  if (encoded.mark == list_mark) return list_fits(column);
  if (encoded.mark == node_mark) return read_encoded_value(column, encoded).fits();
  const ScannedKind kind = kind_of(encoded.mark);
  const NodeStyle style = style_of(kind);
  if (style == NodeStyle::plain) return scalar_fits(column, style, encoded.text);
  return scalar_fits(column, style, decode_scalar(kind, encoded.text));
}

std::optional<PlainValue> plain_value(const Column& column, const EncodedValue& encoded) {
  const bool is_plain = encoded.mark == plain_mark;
  const bool is_number = column.type == ColumnType::number && column.number_format.is_plain();
  if (is_number && is_plain && is_plain_number(encoded.text))
    return PlainValue{encoded.text, false};
  if (column.type == ColumnType::checkbox && is_plain && is_plain_boolean(encoded.text))
    return PlainValue{encoded.text, false};
  if (!is_textual(column)) return std::nullopt;
  const bool as_it_stands =
      (is_plain && !is_null_text(encoded.text)) ||
      (encoded.mark == single_quoted_mark && encoded.text.find('\'') == std::string_view::npos) ||
      (encoded.mark == double_quoted_mark && encoded.text.find('\\') == std::string_view::npos);
  return as_it_stands ? std::optional(PlainValue{encoded.text}) : std::nullopt;
}

namespace {

// A mapped base of more encoded_values than this is not searched for one that is added.
constexpr std::size_t max_searched_base = 64;
// After so many values it shows whether they come again.
constexpr std::uint32_t shown_by = 512;
// So many values met last are remembered, as a power of two.
constexpr unsigned met_bits = 6;

std::uint64_t hash_of(const EncodedValue& encoded) {
  return hash_text(encoded.text, static_cast<unsigned char>(encoded.mark));
}

}  // namespace

template <typename Fits>
std::uint32_t Dictionary::put(const EncodedValue& encoded, const Fits& fits) {
  if (!is_worth_searching()) return append(encoded, fits());
  const Place place = find(encoded);
  ++sought_;
  if (place.code != 0) {
    ++found_;
    return place.code;
  }
  const std::uint32_t code = append(encoded, fits());
  slots_[place.slot] = slot_value(code, place.hash);
  return code;
}

std::uint32_t Dictionary::add(const Scanner& scanner, const ScannedField& field) {
  const std::string_view value = field.value;
  const bool is_short = value.size() <= EndWords::whole && field.kind != ScannedKind::block_list;
  if (!is_short || !is_worth_searching()) return search(scanner, field);
  const EndWords words = end_words(value.data(), value.size());
  if (met_.empty()) met_.resize(std::size_t{1} << met_bits);
  Met& met = met_[hash_words(words, value.size()) >> (64 - met_bits)];
  if (met.code != 0 && met.words == words && met.size == value.size() && met.kind == field.kind) {
    ++sought_;
    ++found_;
    return met.code;
  }
  met = {words, value.size(), field.kind, search(scanner, field)};
  return met.code;
}

std::uint32_t Dictionary::search(const Scanner& scanner, const ScannedField& field) {
  const EncodedValue encoded = encoded_value_of(scanner, field, scratch_);
  return put(encoded, [&] { return encoded_value_fits(column_, encoded); });
}

std::uint32_t Dictionary::add(const Node& node) {
  const EncodedValue encoded = encoded_value_of(node, scratch_);
  return put(encoded, [&] { return encoded_value_fits(column_, encoded); });
}

std::vector<std::uint32_t> Dictionary::absorb(const Dictionary& other) {
  std::vector<std::uint32_t> codes(other.size() + 1);
  for (std::uint32_t code = 1; code <= other.size(); ++code)
    codes[code] = put(EncodedValue::of(other.encoded(code)), [&] { return other.fits(code); });
  return codes;
}

bool Dictionary::fits(std::uint32_t code) const {
  const std::size_t mapped = base_.fits.size();
  return (code <= mapped ? base_.fits[code - 1] : added_.fits[code - 1 - mapped]) != 0;
}

Value Dictionary::value(std::uint32_t code) const {
  const EncodedValue found = EncodedValue::of(encoded(code));
  const auto plain = plain_value(column_, found);
  if (plain && plain->is_text) return plain->encoded;
  return read_encoded_value(column_, found).value;
}

Value Dictionary::untyped(std::uint32_t code) const {
  static const Column undeclared = [] {
    Column column;
    column.type = ColumnType::json;
    return column;
  }();
  return read_encoded_value(undeclared, EncodedValue::of(encoded(code))).value;
}

std::optional<PlainValue> Dictionary::plain(std::uint32_t code) const {
  return plain_value(column_, EncodedValue::of(encoded(code)));
}

std::size_t Dictionary::memory() const {
  return base_.bytes.size() + base_.ends.size_bytes() + base_.fits.size() +
         added_.bytes.capacity() + added_.ends.capacity() * sizeof(std::uint64_t) +
         added_.fits.capacity() + slots_.capacity() * sizeof(std::uint32_t);
}

void Dictionary::part_from(const Dictionary& original) {
  if (!original.owns_base()) return;
  base_ = {owned_base_.bytes, owned_base_.ends, owned_base_.fits};
}

const Dictionary::EncodedValues& Dictionary::own() {
  is_own_ = true;
  if (added_.ends.empty() && (owns_base() || base_.ends.empty())) return base_;
  if (base_.ends.empty()) {
    owned_base_ = std::move(added_);
  } else {
    Block all;
    all.bytes.assign(base_.bytes.begin(), base_.bytes.end());
    all.ends.assign(base_.ends.begin(), base_.ends.end());
    all.fits.assign(base_.fits.begin(), base_.fits.end());
    for (const std::uint64_t end : added_.ends)
      all.ends.push_back(base_.bytes.size() + end);
    all.bytes += added_.bytes;
    all.fits.insert(all.fits.end(), added_.fits.begin(), added_.fits.end());
    owned_base_ = std::move(all);
  }
  added_ = Block{};
  base_ = {owned_base_.bytes, owned_base_.ends, owned_base_.fits};
  return base_;
}

std::string_view Dictionary::encoded(std::uint32_t code) const {
  const std::size_t mapped = base_.ends.size();
  const bool is_added = code > mapped;
  const std::size_t at = is_added ? code - 1 - mapped : code - 1;
  const auto ends = is_added ? std::span<const std::uint64_t>(added_.ends) : base_.ends;
  const std::uint64_t begin = at == 0 ? 0 : ends[at - 1];
  const char* bytes = is_added ? added_.bytes.data() : base_.bytes.data();
  return {bytes + begin, static_cast<std::size_t>(ends[at] - begin)};
}

std::uint32_t Dictionary::append(const EncodedValue& encoded, bool fits) {
  added_.bytes += encoded.mark;
  added_.bytes += encoded.text;
  added_.ends.push_back(added_.bytes.size());
  added_.fits.push_back(fits ? 1 : 0);
  return size();
}

bool Dictionary::is_worth_searching() const {
  return is_own_ || sought_ < shown_by || found_ > sought_ / 8;
}

Dictionary::Place Dictionary::find(const EncodedValue& wanted) {
  const std::size_t searched = size() + 1 - first_searched_;
  if ((searched + 1) * 3 > slots_.size() * 2) grow();
  const std::uint32_t mask = slot_mask();
  Place place;
  place.hash = hash_of(wanted);
  place.slot = static_cast<std::uint32_t>(place.hash) & mask;
  for (; slots_[place.slot] != 0; place.slot = (place.slot + 1) & mask) {
    const std::uint32_t slot = slots_[place.slot];
    const std::uint32_t code = (slot & mask) + first_searched_ - 1;
    if (slot != slot_value(code, place.hash) || EncodedValue::of(encoded(code)) != wanted) continue;
    place.code = code;
    break;
  }
  return place;
}

// The code, counted from the first that is searched, in as many bits as there may be; above them
// bits of the hash, so that nearly all encoded_values that differ need not be looked at.
std::uint32_t Dictionary::slot_value(std::uint32_t code, std::uint64_t hash) const {
  const std::uint32_t mask = slot_mask();
  return (code - first_searched_ + 1) | (static_cast<std::uint32_t>(hash >> 32U) & ~mask);
}

void Dictionary::grow() {
  if (slots_.empty() && base_.ends.size() > max_searched_base) {
    first_searched_ = static_cast<std::uint32_t>(base_.ends.size()) + 1;
  }
  std::size_t slots = std::max<std::size_t>(slots_.size() * 2, 16);
  while ((size() + 2 - first_searched_) * 3 > slots * 2)
    slots *= 2;
  slots_.assign(slots, 0);
  const std::uint32_t mask = slot_mask();
  for (std::uint32_t code = first_searched_; code <= size(); ++code) {
    const std::uint64_t hash = hash_of(EncodedValue::of(encoded(code)));
    std::uint32_t at = static_cast<std::uint32_t>(hash) & mask;
    while (slots_[at] != 0)
      at = (at + 1) & mask;
    slots_[at] = slot_value(code, hash);
  }
}

}  // namespace notesdb
