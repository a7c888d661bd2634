#include "note/scanned_node.h"

#include "note/scalar.h"

namespace notesdb {

namespace {

std::uint32_t column_of(std::string_view text, const char* place) {
  auto offset = static_cast<std::size_t>(place - text.data());
  std::size_t line_begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return static_cast<std::uint32_t>(offset - line_begin) + 1;
}

NodeStyle style_of(ScannedKind kind) {
  if (kind == ScannedKind::single_quoted) return NodeStyle::single_quoted;
  if (kind == ScannedKind::double_quoted) return NodeStyle::double_quoted;
  return NodeStyle::plain;
}

Node scalar_node(const ScannedScalar& scalar, std::string_view text, std::uint32_t first_line) {
  Node node;
  node.style = style_of(scalar.kind);
  node.line = first_line + scalar.line;
  node.column = column_of(text, scalar.raw.data());
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
  bool block = field.kind == ScannedKind::block_list;
  if (!block && field.kind != ScannedKind::flow_list) {
    return scalar_node({field.value, field.kind, field.line}, text, first_line);
  }
  Node node;
  node.kind = NodeKind::list;
  node.style = block ? NodeStyle::block : NodeStyle::flow;
  for (const ScannedScalar& item : scanner.items(field))
    node.items.push_back(scalar_node(item, text, first_line));
  node.line = block ? node.items.front().line : first_line + field.line;
  node.column = block ? 0 : column_of(text, field.value.data());
  return node;
}

}  // namespace notesdb
