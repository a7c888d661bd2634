#include "index/encoded_value.h"

#include <algorithm>
#include <cstdint>

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
  if (column.type == ColumnType::number && is_plain && is_plain_number(encoded.text))
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

}  // namespace notesdb
