#include "yaml/scanned_node.h"

#include "yaml/scalar.h"

namespace notesdb {

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
