#include "yaml/value_writer.h"

#include <algorithm>

#include "core/text.h"
#include "yaml/gate.h"
#include "yaml/scalar_writer.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

bool is_empty_collection(const Value& value) {
  return (value.is_list() && value.list().empty()) || (value.is_map() && value.map().empty());
}

// Writes a json value in block style, a line at a time.
class BlockWriter {
 public:
  BlockWriter(const Column* column, const Layout& layout) : column_(column), layout_(layout) {}

  // After a key's colon: the rest of the line, its ending, and the lines of the value.
  void value_behind_key(const Value& value, std::size_t indent) {
    if (value.is_scalar() || is_empty_collection(value)) {
      std::string text = inline_value(value);
      if (!text.empty()) out_ += ' ' + text;
      end_line();
    } else if (value.is_list()) {
      end_line();
      items(value.list(), indent + layout_.list_indent);
    } else {
      end_line();
      members(value.map(), indent + layout_.map_indent);
    }
  }

  void items(const List& list, std::size_t indent) {
    for (const Value& item : list) {
      out_.append(indent, ' ');
      out_ += '-';
      item_behind(item, " ", indent);
    }
  }

  // After an item's dash; `spaces` stand between the two.
  void item_behind(const Value& item, std::string_view blanks, std::size_t indent) {
    if (item.is_map() && !item.map().empty()) {
      out_ += blanks;
      members(item.map(), indent + 1 + blanks.size(), FirstLine::begun);
      return;
    }
    std::string text =
        item.is_list() ? write_flow(item, column_, layout_.style) : inline_value(item);
    if (!text.empty()) out_ += std::string(blanks) + text;
    end_line();
  }

  std::string take() { return std::move(out_); }

 private:
  enum class FirstLine { fresh, begun };

 public:
  void members(const Map& map, std::size_t indent, FirstLine first = FirstLine::fresh) {
    for (const Member& member : map) {
      if (first == FirstLine::fresh) out_.append(indent, ' ');
      first = FirstLine::fresh;
      out_ += write_text(member.key, NodeStyle::plain, ScalarPlace::key) + ':';
      value_behind_key(member.value, indent);
    }
  }

 private:
  std::string inline_value(const Value& value) const {
    if (!value.is_scalar()) return value.is_list() ? "[]" : "{}";
    return write_scalar(value, column_, layout_.style, ScalarPlace::block);
  }
  void end_line() { out_ += layout_.line_ending; }

  const Column* column_;
  const Layout& layout_;
  std::string out_;
};

// Whether text reads back from a block text: lines that keep their ends, nothing unprintable.
bool suits_block_text(std::string_view text) {
  std::string_view first = text.substr(0, text.find('\n'));
  if (first.empty() || first.front() == ' ' || first.front() == '\t') return false;
  if (text.find_first_of("\t\r") != npos || text.find(" \n") != npos || text.ends_with(' ')) {
    return false;
  }
  std::string flat(text);
  std::ranges::replace(flat, '\n', ' ');
  std::string quoted = double_quoted(flat);
  return quoted.find("\\u") == npos || flat.find("\\u") != npos;
}

WrittenValue write_block_text(std::string_view text, const Layout& layout) {
  WrittenValue written;
  bool folded = layout.style == NodeStyle::folded;
  std::size_t content = text.find_last_not_of('\n') + 1;
  std::size_t breaks = text.size() - content;
  written.inline_text = folded ? ">" : "|";
  written.inline_text += breaks == 0 ? "-" : breaks == 1 ? "" : "+";
  for (std::size_t at = 0; at < content;) {
    std::size_t end = std::min(text.find('\n', at), content);
    if (end > at) written.block.append(layout.map_indent, ' ');
    written.block += text.substr(at, end - at);
    written.block += layout.line_ending;
    if (folded && end < content && end > at) written.block += layout.line_ending;
    at = end + 1;
  }
  for (std::size_t i = 1; i < breaks; ++i)
    written.block += layout.line_ending;
  return written;
}

bool is_block_style(NodeStyle style) {
  return style == NodeStyle::literal || style == NodeStyle::folded;
}

bool is_writable_within(const Value& value, int levels) {
  if (value.is_text()) return is_utf8(value.text());
  if (value.is_scalar()) return true;
  if (levels == 0) return false;
  auto item = [levels](const Value& v) { return is_writable_within(v, levels - 1); };
  if (value.is_list()) return std::ranges::all_of(value.list(), item);
  return std::ranges::all_of(value.map(), [&](const Member& m) {
    return is_utf8(m.key) && !m.key.empty() && item(m.value);
  });
}

}  // namespace

std::string write_flow(const Value& value, const Column* column, NodeStyle style) {
  if (value.is_scalar()) return write_scalar(value, column, style, ScalarPlace::flow);
  std::string out;
  if (value.is_list()) {
    for (const Value& item : value.list())
      out += (out.empty() ? "" : ", ") + write_flow(item, column, style);
    return '[' + out + ']';
  }
  for (const Member& member : value.map()) {
    out += (out.empty() ? "" : ", ") + write_text(member.key, NodeStyle::plain, ScalarPlace::flow) +
           ": " + write_flow(member.value, column, style);
  }
  return '{' + out + '}';
}

std::string write_item(const Value& item,
                       const Column* column,
                       std::string_view prefix,
                       const Layout& layout) {
  std::size_t dash = prefix.find('-');
  BlockWriter writer(column, layout);
  std::string_view blanks = prefix.substr(dash + 1);
  writer.item_behind(item, blanks.empty() ? " " : blanks, dash);
  return std::string(prefix.substr(0, dash + 1)) + writer.take();
}

WrittenValue write_value(const Value& value, const Column* column, const Layout& layout) {
  if (value.is_text() && is_block_style(layout.style) && suits_block_text(value.text())) {
    return write_block_text(value.text(), layout);
  }
  if (value.is_scalar()) return {write_scalar(value, column, layout.style, ScalarPlace::block), ""};
  if (is_empty_collection(value) || layout.flow) {
    return {write_flow(value, column, layout.style), ""};
  }
  BlockWriter writer(column, layout);
  if (value.is_list()) {
    writer.items(value.list(), layout.list_indent);
  } else {
    writer.members(value.map(), layout.map_indent);
  }
  return {"", writer.take()};
}

bool is_writable(const Value& value) {
  return is_writable_within(value, YamlLimits::depth - 1);
}

bool reads_back(const Value& intended, const Value& read) {
  if (intended.is_number()) {
    if (read.is_text()) {
      return read.text() == write_scalar(intended, nullptr, NodeStyle::plain, ScalarPlace::block);
    }
    if (intended.is_integer() && read.is_integer()) return intended.integer() == read.integer();
    return read.is_number() && !(intended.number() < read.number()) &&
           !(read.number() < intended.number());
  }
  if (intended.is_list() && read.is_list()) {
    return std::ranges::equal(intended.list(), read.list(), reads_back);
  }
  if (intended.is_map() && read.is_map()) {
    return std::ranges::equal(intended.map(), read.map(), [](const Member& a, const Member& b) {
      return a.key == b.key && reads_back(a.value, b.value);
    });
  }
  return intended == read;
}

}  // namespace notesdb
