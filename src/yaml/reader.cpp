#include "yaml/reader.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "core/text.h"
#include "yaml/field_split.h"
#include "yaml/gate.h"
#include "yaml/quoted.h"

namespace notesdb {

namespace {

// Out of yaml-cpp's event loop, by an exception that read_field catches.
void refuse(std::optional<YamlRefusal> found) {
  if (found) throw std::move(*found);
}

// Builds the tree from the events of one document and refuses what yaml-cpp would let through.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (is_item_in_brackets()) refuse(check_null_item(text_, position(mark)));
    if (is_value_of_line()) refuse(check_key_alone(text_, frames_.back().key_begin));
    add(has_property(mark) ? unread(mark, property_name(mark)) : node_at(mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { add(unread(mark, "an alias")); }

  void OnScalar(const YAML::Mark& mark,
                const std::string&,
                YAML::anchor_t,
                const std::string& value) override {
    if (has_property(mark)) return add(unread(mark, property_name(mark)));
    last_scalar_ = position(mark);
    Node node = node_at(mark);
    node.style = style_at(mark);
    if (node.style == NodeStyle::literal || node.style == NodeStyle::folded) {
      refuse_odd_block(position(mark));
    }
    node.text = text_of(mark, node.style, value);
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string&,
                       YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    open(mark, NodeKind::list, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string&,
                  YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(mark, NodeKind::map, style);
  }
  void OnMapEnd() override { close(); }

  const Node& root() const { return root_; }

 private:
  struct Frame {
    Node node;
    bool has_key = false;
    std::string key;
    std::unordered_set<std::string> keys;  // so far
    std::size_t key_begin = 0;
    bool unread = false;
    std::string property;
  };

  std::size_t position(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
  }
  char char_at(const YAML::Mark& mark) const {
    std::size_t at = position(mark);
    return at < text_.size() ? text_[at] : '\0';
  }

  // An anchor or a tag before the value: plain text cannot begin so.
  bool has_property(const YAML::Mark& mark) const {
    return char_at(mark) == '&' || char_at(mark) == '!';
  }
  std::string property_name(const YAML::Mark& mark) const {
    return char_at(mark) == '&' ? "an anchor" : "a tag";
  }

  static Node node_at(const YAML::Mark& mark) {
    Node node;
    node.line = static_cast<std::uint32_t>(mark.line);
    node.column = static_cast<std::uint32_t>(mark.column);
    return node;
  }
  static Node unread(const YAML::Mark& mark, std::string what) {
    Node node = node_at(mark);
    node.kind = NodeKind::unread;
    node.text = std::move(what);
    return node;
  }

  NodeStyle style_at(const YAML::Mark& mark) const {
    switch (char_at(mark)) {
      case '\'': return NodeStyle::single_quoted;
      case '"': return NodeStyle::double_quoted;
      case '|': return NodeStyle::literal;
      case '>': return NodeStyle::folded;
      default: return NodeStyle::plain;
    }
  }

  void refuse_odd_block(std::size_t begin) const {
    const std::size_t parent = frames_.empty() ? 0 : frames_.back().node.column;
    if (auto problem = check_block_text(text_, begin, parent)) {
      throw YamlRefusal{problem->position, problem->message};
    }
  }

  // Quotes are decoded by us: yaml-cpp reads some of them otherwise than YAML does.
  std::string text_of(const YAML::Mark& mark, NodeStyle style, const std::string& value) const {
    if (style != NodeStyle::single_quoted && style != NodeStyle::double_quoted) {
      if (!is_utf8(value)) throw YamlRefusal{position(mark), "the text is not UTF-8"};
      return value;
    }
    const std::size_t begin = position(mark);
    refuse(check_quotes(text_, begin, block_indent()));
    const std::string_view raw =
        text_.substr(begin + 1, *end_of_enclosed(text_, begin) - begin - 2);
    return style == NodeStyle::single_quoted ? fold_single_quoted(raw) : fold_double_quoted(raw);
  }

  // Of the list or map of lines that the next value stands in.
  std::size_t block_indent() const {
    auto block = std::ranges::find_if(frames_.rbegin(), frames_.rend(), [](const Frame& frame) {
      return frame.node.style == NodeStyle::block;
    });
    return block == frames_.rend() ? 0 : block->node.column;
  }

  bool is_item_in_brackets() const {
    return !frames_.empty() && frames_.back().node.is_list() &&
           frames_.back().node.style == NodeStyle::flow;
  }
  bool is_value_of_line() const {
    return !frames_.empty() && frames_.back().has_key && !frames_.back().unread &&
           frames_.back().node.style == NodeStyle::block;
  }

  bool is_bracket(std::size_t at) const {
    return at < text_.size() && (text_[at] == '[' || text_[at] == '{');
  }

  void count_node(const YAML::Mark& mark) {
    if (++nodes_ > YamlLimits::nodes) {
      throw YamlRefusal{position(mark), "more than 10000 values in one field are not read"};
    }
  }

  void open(const YAML::Mark& mark, NodeKind kind, YAML::EmitterStyle::value style) {
    if (frames_.size() > YamlLimits::depth) {
      throw YamlRefusal{position(mark), "values nested deeper than 32 levels are not read"};
    }
    count_node(mark);
    Frame& frame = frames_.emplace_back();
    frame.unread = has_property(mark);
    if (frame.unread) frame.property = property_name(mark);
    frame.node = node_at(mark);
    frame.node.kind = kind;
    frame.node.style = style == YAML::EmitterStyle::Flow ? NodeStyle::flow : NodeStyle::block;
    begins_.push_back(position(mark));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    std::size_t begin = begins_.back();
    begins_.pop_back();
    if (frame.node.style == NodeStyle::flow && !frame.unread && is_bracket(begin)) {
      refuse(check_brackets(text_, begin));
    }
    if (frame.unread) {
      frame.node.kind = NodeKind::unread;
      frame.node.text = frame.property;
      frame.node.items.clear();
      frame.node.members.clear();
    }
    place(std::move(frame.node));
  }

  void add(Node node) {
    YAML::Mark mark;
    mark.pos = 0;
    count_node(mark);
    place(std::move(node));
  }

  void place(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& parent = frames_.back();
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      parent.has_key = false;
      parent.node.members.push_back({std::move(parent.key), std::move(node)});
    }
  }

  void take_key(Frame& parent, const Node& node) {
    bool merges = node.style == NodeStyle::plain && node.text == "<<";
    if (!node.is_scalar() || (merges && frames_.size() > 1)) {
      parent.unread = true;
      parent.property = "a key that is not text";
    }
    if (!parent.unread && !parent.keys.insert(node.text).second) {
      throw YamlRefusal{offset_of(node), "duplicate key '" + node.text + "'; keep one"};
    }
    parent.has_key = true;
    parent.key = node.text;
    parent.key_begin = last_scalar_;
  }

  std::size_t offset_of(const Node& node) const {
    std::size_t at = 0;
    for (std::uint32_t line = 0; line < node.line; ++line)
      at = text_.find('\n', at) + 1;
    return at + node.column;
  }

  std::string_view text_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> begins_;
  std::size_t nodes_ = 0;
  std::size_t last_scalar_ = 0;  // where it begins
  Node root_;
};

void place_in_file(Node& node, std::uint32_t first_line) {
  node.line += first_line;
  node.column += 1;
  for (Node& item : node.items)
    place_in_file(item, first_line);
  for (NodeMember& member : node.members)
    place_in_file(member.value, first_line);
}

Node parse_one_field(std::string_view lines) {
  std::string ended(lines);
  // Spaces at the very end are a line of a block text like any other.
  if (ended.ends_with(' ')) ended += '\n';
  std::istringstream stream{ended};
  YAML::Parser parser(stream);
  TreeBuilder builder(lines);
  if (!parser.HandleNextDocument(builder) || !builder.root().is_map() ||
      builder.root().members.size() != 1) {
    throw YamlRefusal{0, "this is not one key with its value"};
  }
  Node node = builder.root().members.front().value;
  TreeBuilder rest(lines);
  if (parser.HandleNextDocument(rest)) {
    throw YamlRefusal{0, "unexpected text after the value; quote the whole value"};
  }
  return node;
}

YamlProblem problem_at(std::string_view lines,
                       std::size_t position,
                       std::uint32_t first_line,
                       std::string message) {
  std::string_view before = lines.substr(0, std::min(position, lines.size()));
  auto newlines = std::ranges::count(before, '\n');
  std::size_t line_begin = newlines == 0 ? 0 : before.rfind('\n') + 1;
  return {first_line + static_cast<std::uint32_t>(newlines),
          static_cast<std::uint32_t>(before.size() - line_begin) + 1,
          std::move(message)};
}

}  // namespace

FieldReading read_field(std::string_view lines, std::size_t key_end, std::uint32_t first_line) {
  auto refused = [&](std::size_t position, std::string message) {
    return FieldReading{{}, problem_at(lines, position, first_line, std::move(message))};
  };
  if (auto bad = check_bytes(lines)) return refused(bad->position, bad->message);
  const std::size_t value = lines.find_first_not_of(" \t", key_end);
  if (value != lines.npos && (lines[value] == '[' || lines[value] == '{')) {
    if (auto bad = check_size(lines, value)) return refused(bad->position, bad->message);
  }
  try {
    Node node = parse_one_field(lines);
    place_in_file(node, first_line);
    return {std::move(node), std::nullopt};
  } catch (const YamlRefusal& refusal) {
    return refused(refusal.position, refusal.message);
  } catch (const YAML::Exception& exception) {
    if (exception.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
      Node node;
      node.kind = NodeKind::unread;
      node.text = "an alias";
      node.line = first_line;
      return {std::move(node), std::nullopt};
    }
    auto at = static_cast<std::size_t>(std::max(exception.mark.pos, 0));
    Fixing fixing = how_to_fix(lines, key_end, at, exception.msg);
    return refused(fixing.position, fixing.message);
  }
}

}  // namespace notesdb
