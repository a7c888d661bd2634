#include "toml/reader.h"

#include <algorithm>
#include <utility>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "core/number_text.h"
#include "core/text.h"
#include "yaml/gate.h"
#include "yaml/quoted.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Walks a text; every step says whether it could be taken.
class Walker {
 public:
  Walker(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  char here() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip(std::size_t count) { at_ += count; }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_]))
      ++at_;
  }
  // Spaces, line ends and, between the items of an array, comments.
  void skip_space() {
    while (at_ < text_.size()) {
      if (here() == '#') skip_line();
      if (at_ >= text_.size() || (!is_blank(here()) && here() != '\n' && here() != '\r')) return;
      ++at_;
    }
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  bool ends_line() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  // Text between quotes of one kind, three of them where three stand.
  bool skip_text() {
    const char quote = here();
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (!is_long && (text_[at_] == quote || text_[at_] == '\n')) {
        return text_[at_++] == quote;
      } else if (is_long && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        // Up to two quotes may stand before the closing three.
        for (int more = 0; more < 2 && here() == quote; ++more)
          ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_value() {
    if (here() == '"' || here() == '\'') return skip_text();
    if (here() == '[' || here() == '{') return skip_brackets();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",]}#\r\n").find(here()) == npos)
      ++at_;
    while (at_ > begin && is_blank(text_[at_ - 1]))
      --at_;
    return at_ > begin;
  }

 private:
  bool skip_brackets() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = here();
      if (c == '"' || c == '\'') {
        if (!skip_text()) return false;
        continue;
      }
      if (c == '#') {
        skip_line();
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
      if (depth == 0) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_;
};

// One part of a key; empty where there is none.
std::optional<std::string> take_key(std::string_view text, Walker& walker) {
  const std::size_t begin = walker.at();
  if (walker.here() == '"' || walker.here() == '\'') {
    const bool is_basic = walker.here() == '"';
    if (!walker.skip_text() || walker.at() < begin + 2) return std::nullopt;
    const auto raw = text.substr(begin + 1, walker.at() - begin - 2);
    return is_basic ? decode_double_quoted(raw) : std::string(raw);
  }
  while (walker.at() < text.size() && is_bare(walker.here()))
    walker.skip(1);
  if (walker.at() == begin) return std::nullopt;
  return std::string(text.substr(begin, walker.at() - begin));
}

bool read_pair(std::string_view text, Walker& walker, TomlPair& pair) {
  auto key = take_key(text, walker);
  if (!key) return false;
  pair.key = std::move(*key);
  walker.skip_blanks();
  while (walker.here() == '.') {
    pair.dotted = true;
    walker.skip(1);
    walker.skip_blanks();
    if (!take_key(text, walker)) break;
    walker.skip_blanks();
  }
  if (walker.here() != '=') {
    pair.key.clear();  // a line of anything
    return false;
  }
  walker.skip(1);
  pair.key_end = walker.at();
  walker.skip_blanks();
  pair.value = {walker.at(), walker.at()};
  if (walker.ends_line() || !walker.skip_value()) return false;
  pair.value.end = walker.at();
  walker.skip_blanks();
  return walker.here() == '#' || walker.ends_line();
}

}  // namespace

TomlText split_toml(std::string_view text) {
  TomlText found;
  std::size_t at = 0;
  std::uint32_t line = 0;
  while (at < text.size()) {
    Walker walker(text, at);
    walker.skip_blanks();
    if (walker.here() == '[') break;
    const bool is_pair = !walker.ends_line() && walker.here() != '#';
    if (is_pair) {
      TomlPair& pair = found.pairs.emplace_back();
      pair.line = line;
      Walker first = walker;
      pair.broken = !read_pair(text, walker, pair);
      if (pair.broken) walker = first;
    }
    walker.skip_line();
    const std::size_t next = std::min(walker.at() + 1, text.size());
    if (is_pair) found.pairs.back().lines = {at, next};
    line += static_cast<std::uint32_t>(std::ranges::count(text.substr(at, next - at), '\n'));
    at = next;
  }
  found.tables_begin = at;
  found.tables_line = line;
  return found;
}

std::optional<std::vector<std::string_view>> items_of_toml_array(std::string_view array) {
  if (!array.starts_with('[')) return std::nullopt;
  std::vector<std::string_view> items;
  Walker walker(array, 1);
  for (;;) {
    const std::size_t before = walker.at();
    walker.skip_space();
    if (array.substr(before, walker.at() - before).find('#') != npos) return std::nullopt;
    if (walker.here() == ']') return items;
    const std::size_t begin = walker.at();
    if (!walker.skip_value()) return std::nullopt;
    items.push_back(array.substr(begin, walker.at() - begin));
    walker.skip_blanks();
    if (walker.here() == ',') walker.skip(1);
  }
}

namespace {

Node plain(std::string text) {
  Node node;
  node.text = std::move(text);
  return node;
}

// Where in its bytes a text's places are, which toml++ counts in newlines and in code points of a
// line, both from 1. The text is gone through once, when the first place is asked for.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  std::size_t offset_of(const toml::source_position& place) {
    if (lines_.empty()) count();
    if (place.line < 1 || place.line > lines_.size()) return text_.size();
    const std::size_t letter = lines_[place.line - 1] + std::max(place.column, 1U) - 1;
    return letter < letters_.size() ? letters_[letter] : text_.size();
  }

 private:
  void count() {
    lines_.push_back(0);
    letters_.reserve(text_.size());
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const bool continues = (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U;
      if (!continues) letters_.push_back(static_cast<std::uint32_t>(at));
      if (text_[at] == '\n') lines_.push_back(static_cast<std::uint32_t>(letters_.size()));
    }
  }

  std::string_view text_;
  std::vector<std::uint32_t> letters_;  // where each code point begins
  std::vector<std::uint32_t> lines_;    // the number of the first code point of each line
};

class NodeBuilder {
 public:
  NodeBuilder(std::string_view text, std::uint32_t first_line)
      : text_(text), places_(text), first_line_(first_line) {}

  bool is_too_deep() const { return too_deep_; }

  Node build(const toml::node& from, int depth) {
    if (depth > YamlLimits::depth) {
      too_deep_ = true;
      return {};
    }
    Node node = build_kind(from, depth);
    node.line = line_of(from);
    node.column = from.source().begin.column;
    return node;
  }

  std::vector<NodeMember> members_of(const toml::table& table, int depth) {
    std::vector<std::pair<std::pair<toml::source_index, toml::source_index>, NodeMember>> placed;
    for (const auto& [key, value] : table) {
      const auto& place = key.source().begin;
      placed.push_back({{place.line, place.column},
                        NodeMember{std::string(key.str()), build(value, depth + 1)}});
    }
    std::ranges::stable_sort(placed, {}, [](const auto& one) { return one.first; });
    std::vector<NodeMember> members;
    for (auto& [place, member] : placed)
      members.push_back(std::move(member));
    return members;
  }

 private:
  std::uint32_t line_of(const toml::node& from) const {
    const auto line = from.source().begin.line;
    return first_line_ + static_cast<std::uint32_t>(line > 0 ? line - 1 : 0);
  }

  Node build_kind(const toml::node& from, int depth) {
    switch (from.type()) {
      case toml::node_type::string: {
        Node node = plain(std::string(**from.as_string()));
        node.style = is_literal(from) ? NodeStyle::single_quoted : NodeStyle::double_quoted;
        return node;
      }
      case toml::node_type::boolean: return plain(**from.as_boolean() ? "true" : "false");
      case toml::node_type::integer: return plain(std::to_string(**from.as_integer()));
      case toml::node_type::floating_point: return plain(written(from));
      case toml::node_type::date:
      case toml::node_type::time:
      case toml::node_type::date_time: return plain(written(from));
      case toml::node_type::array: return build_list(*from.as_array(), depth);
      default: break;
    }
    Node node;
    node.kind = NodeKind::map;
    node.style = from.as_table()->is_inline() ? NodeStyle::flow : NodeStyle::block;
    node.members = members_of(*from.as_table(), depth);
    return node;
  }

  Node build_list(const toml::array& array, int depth) {
    Node node;
    node.kind = NodeKind::list;
    node.style = NodeStyle::flow;
    for (const toml::node& item : array)
      node.items.push_back(build(item, depth + 1));
    return node;
  }

  bool is_literal(const toml::node& from) {
    const std::size_t at = places_.offset_of(from.source().begin);
    return at < text_.size() && text_[at] == '\'';
  }

  // A number with a point or a moment as it stands in the file: 1.10 and 05:00 stay what they are.
  std::string written(const toml::node& from) {
    const std::size_t at = places_.offset_of(from.source().begin);
    std::string_view rest = text_.substr(std::min(at, text_.size()));
    rest = rest.substr(0, rest.find_first_of(",]}#\r\n"));
    while (rest.ends_with(' ') || rest.ends_with('\t'))
      rest.remove_suffix(1);
    if (const auto* number = from.as_floating_point()) {
      const bool is_simple = rest.find_first_not_of("-0123456789.") == std::string_view::npos;
      return is_simple && !rest.empty() ? std::string(rest) : real_text(**number);
    }
    const bool is_moment = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    return is_moment ? std::string(rest) : "";
  }

  std::string_view text_;
  Places places_;
  std::uint32_t first_line_;
  bool too_deep_ = false;
};

// Whether a line begins with a key of too many parts, each of which would become a table.
bool has_deep_key(std::string_view text) {
  int parts = 0;
  bool begins = true;  // nothing but a key, so far
  char before = '.';
  for (const char c : text) {
    if (c == '\n') {
      begins = true;
      parts = 0;
      before = '.';
    } else if (begins && c == '.' && before != '.') {
      ++parts;
      before = c;
    } else if (begins && is_bare(c)) {
      before = c;
    } else {
      begins = false;
    }
    if (parts > YamlLimits::depth) return true;
  }
  return false;
}

}  // namespace

TomlReading read_toml(std::string_view text, std::uint32_t first_line) {
  if (has_deep_key(text)) {
    return {{}, YamlProblem{first_line, 1, "keys of more than 32 parts are not read"}};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const auto& place = error.source().begin;
    const std::uint32_t below = place.line > 0 ? place.line - 1 : 0;
    return {{},
            YamlProblem{first_line + below,
                        static_cast<std::uint32_t>(place.column),
                        "this is not TOML: " + std::string(error.description())}};
  }
  NodeBuilder builder(text, first_line);
  TomlReading reading;
  reading.members = builder.members_of(parsed.table(), 0);
  if (builder.is_too_deep()) {
    return {{}, YamlProblem{first_line, 1, "values nested deeper than 32 levels are not read"}};
  }
  return reading;
}

}  // namespace notesdb
