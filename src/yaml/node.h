// Node: one value as YAML structure, before any type is decided.
//
// A scalar keeps its text and how it was written, since `"7"` and `7` mean different things to a
// column. `null`, `~` and nothing at all are one thing: a plain scalar with empty text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

// Bytes [begin, end) of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The bytes that a span of this text names.
inline std::string_view slice(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

// Fields beyond this size are refused: no person wrote them (of 74,025 real texts the largest has
// 120,768 bytes), and every way to read them must end soon.
inline constexpr std::size_t max_fields_size = 256 << 10;

enum class NodeKind : std::uint8_t {
  scalar,
  list,
  map,
  unread,  // an anchor, an alias or a tag: kept in the file, given to nobody as a value
};

enum class NodeStyle : std::uint8_t {
  plain,
  single_quoted,
  double_quoted,
  literal,
  folded,
  block,
  flow
};

struct NodeMember;

struct Node {
  NodeKind kind = NodeKind::scalar;
  NodeStyle style = NodeStyle::plain;
  std::uint32_t line = 0;    // of the file, from 1
  std::uint32_t column = 0;  // in bytes, from 1
  std::string text;          // of a scalar, decoded; of an unread node: what it is
  std::vector<Node> items;
  std::vector<NodeMember> members;

  bool is_scalar() const { return kind == NodeKind::scalar; }
  bool is_list() const { return kind == NodeKind::list; }
  bool is_map() const { return kind == NodeKind::map; }
  bool is_null() const { return is_scalar() && style == NodeStyle::plain && text.empty(); }

  // The member of a map with this key, or a null pointer.
  const Node* find(std::string_view key) const;
  // The column where the text of a scalar has come so many bytes far; of a text in a block, which
  // has lines of its own, the column where it begins.
  std::uint32_t column_at(std::uint32_t offset) const;
};

struct NodeMember {
  std::string key;
  Node value;
};

// The same structure and text; plain and quoted differ, kinds of quotes and places do not.
bool same_content(const Node& a, const Node& b);

// Whether anything in the node was not read.
bool holds_unread(const Node& node);
// What the first unread part is: "an alias", "a tag"; empty if all was read.
std::string describe_unread(const Node& node);

}  // namespace notesdb
