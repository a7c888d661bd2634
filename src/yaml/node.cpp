#include "yaml/node.h"

#include <algorithm>

namespace notesdb {

const Node* Node::find(std::string_view key) const {
  auto found = std::ranges::find(members, key, &NodeMember::key);
  return found == members.end() ? nullptr : &found->value;
}

std::uint32_t Node::column_at(std::uint32_t offset) const {
  const bool is_quoted = style == NodeStyle::single_quoted || style == NodeStyle::double_quoted;
  const bool is_on_line = is_quoted || style == NodeStyle::plain;
  return column + (is_on_line ? offset + (is_quoted ? 1 : 0) : 0);
}

bool same_content(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text) return false;
  bool both_plain = a.style == NodeStyle::plain && b.style == NodeStyle::plain;
  bool any_plain = a.style == NodeStyle::plain || b.style == NodeStyle::plain;
  if (a.is_scalar() && any_plain && !both_plain) return false;
  auto same_member = [](const NodeMember& x, const NodeMember& y) {
    return x.key == y.key && same_content(x.value, y.value);
  };
  return std::ranges::equal(a.items, b.items, same_content) &&
         std::ranges::equal(a.members, b.members, same_member);
}

bool holds_unread(const Node& node) {
  return node.kind == NodeKind::unread || std::ranges::any_of(node.items, holds_unread) ||
         std::ranges::any_of(node.members, holds_unread, &NodeMember::value);
}

std::string describe_unread(const Node& node) {
  if (node.kind == NodeKind::unread) return node.text;
  std::string found;
  for (std::size_t i = 0; found.empty() && i < node.items.size(); ++i)
    found = describe_unread(node.items[i]);
  for (std::size_t i = 0; found.empty() && i < node.members.size(); ++i)
    found = describe_unread(node.members[i].value);
  return found;
}

}  // namespace notesdb
