#include "toml/reader.h"

#include <algorithm>
#include <utility>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "core/real.h"
#include "yaml/gate.h"

namespace notesdb {

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

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

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
