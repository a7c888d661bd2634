#include "yaml/plain_tree.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "yaml/scalar.h"

namespace notesdb {

namespace {

constexpr int max_levels = 12;
// Below what the full reader has limits for: 10,000 values, keys of 1,024 bytes.
constexpr std::size_t max_bytes = std::size_t{16} << 10;
constexpr std::size_t longest_key = 128;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What may stand inside of a word without meaning anything else there.
bool is_in_word(char c) {
  return is_letter_or_digit(c) ||
         std::string_view("-./+()=;%&'@").find(c) != std::string_view::npos;
}

bool is_printable_ascii(std::string_view lines) {
  return std::all_of(
      lines.begin(), lines.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
}

bool is_in_quotes(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
}

// One line: where its content begins and ends, without the comment after it.
struct Line {
  std::string_view text;   // from column 0, without the line's end and spaces there
  std::size_t indent = 0;  // also of what stands after `- `, where the line was taken apart
  std::uint32_t number = 0;
};

// Reads lines from the top; every function says false as soon as something is not plain.
class PlainReader {
 public:
  bool read(std::string_view lines, std::size_t key_end, std::uint32_t first_line, Node& into) {
    if (lines.size() > max_bytes || !is_printable_ascii(lines)) return false;
    if (!split(lines, first_line)) return false;
    std::size_t at = 0;
    const Line& head = lines_.front();
    if (head.indent != 0 || !take_key(head.text, at) || at != key_end) return false;
    return read_behind_key(0, at, into) && next_ == lines_.size();
  }

 private:
  bool split(std::string_view lines, std::uint32_t first_line) {
    for (std::uint32_t number = first_line; !lines.empty(); ++number) {
      const std::size_t end = lines.find('\n');
      std::string_view text = lines.substr(0, end);
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
      const std::size_t indent = text.find_first_not_of(' ');
      if (indent == std::string_view::npos || text[indent] == '#') continue;
      text = text.substr(0, text.find_last_not_of(' ') + 1);
      lines_.push_back({text, indent, number});
    }
    return !lines_.empty();
  }

  bool has_line() const { return next_ < lines_.size(); }

  Node node_at(const Line& line, std::size_t at) const {
    Node node;
    node.line = line.number;
    node.column = static_cast<std::uint32_t>(at) + 1;
    return node;
  }

  // `key:` with a space or the end after it; `at` is then after the colon.
  static bool take_key(std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    while (at < text.size() && (is_letter_or_digit(text[at]) || (text[at] == '-' && at > begin)))
      ++at;
    if (at == begin || at > begin + longest_key || at == text.size() || text[at] != ':')
      return false;
    ++at;
    return at == text.size() || text[at] == ' ';
  }

  // What follows a key or a dash on its line, or below it; `parent` is the column of the key.
  bool read_behind_key(std::size_t parent, std::size_t at, Node& into) {
    const Line& line = lines_[next_];
    skip_blanks(line, at);
    if (at < line.text.size() && line.text[at] != '#') return read_inline(line, at, parent, into);
    ++next_;
    if (!has_line()) return false;
    const Line& below = lines_[next_];
    const bool is_list = below.text.substr(below.indent).starts_with("- ");
    if (below.indent < parent + (is_list ? 0 : 1)) return false;
    return read_block(into);
  }

  // A value on the rest of its line, with nothing that could go on below.
  bool read_inline(const Line& line, std::size_t at, std::size_t parent, Node& into) {
    if (!read_value(line, at, into, false)) return false;
    const std::size_t end = at;
    skip_blanks(line, at);
    if (at < line.text.size() && (line.text[at] != '#' || at == end)) return false;
    ++next_;
    return !has_line() || lines_[next_].indent <= parent;
  }

  bool read_block(Node& into) {
    if (++levels_ > max_levels) return false;
    const Line& line = lines_[next_];
    into = node_at(line, line.indent);
    into.style = NodeStyle::block;
    const bool is_list = line.text.substr(line.indent).starts_with("- ");
    into.kind = is_list ? NodeKind::list : NodeKind::map;
    const bool done = is_list ? read_items(line.indent, into) : read_members(line.indent, into);
    --levels_;
    return done;
  }

  bool read_items(std::size_t column, Node& list) {
    while (has_line() && lines_[next_].indent == column) {
      Line& line = lines_[next_];
      // A list that stands no deeper than its key ends with the next key.
      if (!line.text.substr(column).starts_with("- ")) break;
      const std::size_t at = column + 2;
      if (at >= line.text.size() || line.text[at] == ' ' || line.text[at] == '-') return false;
      Node& item = list.items.emplace_back();
      std::size_t behind = at;
      if (take_key(line.text, behind)) {
        line.indent = at;
        if (!read_block(item)) return false;
      } else if (!read_inline(line, at, column, item)) {
        return false;
      }
    }
    return !has_line() || lines_[next_].indent <= column;
  }

  bool read_members(std::size_t column, Node& map) {
    while (has_line() && lines_[next_].indent == column) {
      const Line& line = lines_[next_];
      std::size_t at = column;
      if (!take_key(line.text, at)) break;
      std::string key(line.text.substr(column, at - column - 1));
      if (is_null_text(key) || map.find(key) != nullptr) return false;
      Node value;
      if (!read_behind_key(column, at, value)) return false;
      map.members.push_back({std::move(key), std::move(value)});
    }
    return !map.members.empty() && (!has_line() || lines_[next_].indent < column);
  }

  bool read_value(const Line& line, std::size_t& at, Node& into, bool in_flow) {
    into = node_at(line, at);
    const char first = line.text[at];
    if (first == '[' || first == '{') return read_flow(line, at, into);
    if (first == '"' || first == '\'') return read_quoted(line, at, into);
    return read_word(line, at, into, in_flow);
  }

  bool read_quoted(const Line& line, std::size_t& at, Node& into) {
    const char quote = line.text[at];
    const std::size_t begin = ++at;
    while (at < line.text.size() && is_in_quotes(line.text[at]))
      ++at;
    if (at == line.text.size() || line.text[at] != quote) return false;
    into.style = quote == '"' ? NodeStyle::double_quoted : NodeStyle::single_quoted;
    into.text = line.text.substr(begin, at++ - begin);
    return at == line.text.size() || is_behind_value(line.text[at]);
  }

  static bool is_behind_value(char c) { return c == ' ' || c == ',' || c == ']' || c == '}'; }

  // Words with one space between them.
  bool read_word(const Line& line, std::size_t& at, Node& into, bool in_flow) {
    const std::string_view text = line.text;
    const std::size_t begin = at;
    if (!is_letter_or_digit(text[at])) return false;
    const auto goes_on = [&](std::size_t place) {
      return place < text.size() && (is_in_word(text[place]) || (text[place] == ',' && !in_flow));
    };
    while (goes_on(at) || (at < text.size() && text[at] == ' ' && goes_on(at + 1)))
      ++at;
    into.text = text.substr(begin, at - begin);
    return !is_null_text(into.text) &&
           (at == text.size() || (in_flow ? is_behind_value(text[at]) : text[at] == ' '));
  }

  bool read_flow(const Line& line, std::size_t& at, Node& into) {
    if (++levels_ > max_levels) return false;
    const bool is_map = line.text[at] == '{';
    const char closing = is_map ? '}' : ']';
    into.kind = is_map ? NodeKind::map : NodeKind::list;
    into.style = NodeStyle::flow;
    ++at;
    for (bool first = true;; first = false) {
      skip_blanks(line, at);
      if (at == line.text.size()) return false;
      if (line.text[at] == closing && first) break;
      if (!(is_map ? read_flow_member(line, at, into) : read_flow_item(line, at, into)))
        return false;
      skip_blanks(line, at);
      if (at == line.text.size()) return false;
      if (line.text[at] == closing) break;
      if (line.text[at] != ',') return false;
      ++at;
    }
    ++at;
    --levels_;
    return at == line.text.size() || is_behind_value(line.text[at]);
  }

  bool read_flow_item(const Line& line, std::size_t& at, Node& list) {
    return read_value(line, at, list.items.emplace_back(), true);
  }

  bool read_flow_member(const Line& line, std::size_t& at, Node& map) {
    const std::size_t begin = at;
    if (!take_key(line.text, at)) return false;
    std::string key(line.text.substr(begin, at - begin - 1));
    skip_blanks(line, at);
    if (at == line.text.size() || is_null_text(key) || map.find(key) != nullptr) return false;
    map.members.push_back({std::move(key), {}});
    return read_value(line, at, map.members.back().value, true);
  }

  static void skip_blanks(const Line& line, std::size_t& at) {
    while (at < line.text.size() && line.text[at] == ' ')
      ++at;
  }

  std::vector<Line> lines_;
  std::size_t next_ = 0;
  int levels_ = 0;
};

}  // namespace

std::optional<Node> read_plain_tree(std::string_view lines,
                                    std::size_t key_end,
                                    std::uint32_t first_line) {
  Node node;
  if (!PlainReader().read(lines, key_end, first_line, node)) return std::nullopt;
  return node;
}

}  // namespace notesdb
