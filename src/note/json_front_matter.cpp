#include "note/json_front_matter.h"

#include <algorithm>

#include "core/text.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr int max_depth = 32;
constexpr std::string_view white_space = " \t\r\n";

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// Walks the bytes of one object. A step that fails leaves what is wrong in `problem`.
class Reader {
 public:
  Reader(std::string_view bytes, std::size_t at, std::uint32_t line)
      : bytes_(bytes), at_(at), counted_(at), line_(line) {
    const std::size_t newline = at == 0 ? npos : bytes.rfind('\n', at - 1);
    line_begin_ = newline == npos ? 0 : newline + 1;
  }

  std::size_t at() const { return at_; }
  std::optional<YamlProblem> problem;

  bool read_object(std::vector<JsonMember>& members, int depth) {
    ++at_;
    skip_space();
    if (take('}')) return true;
    while (true) {
      JsonMember& member = members.emplace_back();
      if (here() != '"') return fail(key_problem());
      member.key_place.begin = at_;
      if (!read_text(member.key)) return false;
      member.key_place.end = at_;
      skip_space();
      if (!take(':')) return fail("missing ':' after the key '" + member.key + "'");
      skip_space();
      member.value.begin = at_;
      if (!read_value(member.node, depth)) return false;
      member.value.end = at_;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return fail("missing ',' or '}' after the value of '" + member.key + "'");
      skip_space();
    }
  }

 private:
  char here() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  bool is_over() const { return at_ >= bytes_.size(); }
  bool take(char c) {
    if (is_over() || here() != c) return false;
    ++at_;
    return true;
  }
  void skip_space() { at_ = std::min(bytes_.find_first_not_of(white_space, at_), bytes_.size()); }

  // Lines are counted up to a place once.
  void count_lines() {
    for (; counted_ < at_; ++counted_) {
      if (bytes_[counted_] != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
  }
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_begin_) + 1; }

  bool fail(std::string message) {
    count_lines();
    problem = YamlProblem{line_, column(), std::move(message)};
    return false;
  }

  std::string key_problem() const {
    if (is_over()) return "the JSON object is never closed; add a '}'";
    if (here() == '}') return "unexpected ',' before '}': JSON has none after the last member";
    if (here() == '/') return "JSON has no comments";
    if (here() == '\'') return "a key stands between single quotes; JSON has double ones";
    return "a key between double quotes is missing here";
  }

  bool read_value(Node& node, int depth) {
    count_lines();
    node.line = line_;
    node.column = column();
    switch (here()) {
      case '"': node.style = NodeStyle::double_quoted; return read_text(node.text);
      case '{': return read_map(node, depth);
      case '[': return read_list(node, depth);
      case '\'': return fail("a text stands between single quotes; JSON has double ones");
      case '/': return fail("JSON has no comments");
      default: return read_plain(node);
    }
  }

  bool read_map(Node& node, int depth) {
    if (depth >= max_depth) return fail("values are nested too deep");
    node.kind = NodeKind::map;
    node.style = NodeStyle::flow;
    std::vector<JsonMember> members;
    if (!read_object(members, depth + 1)) return false;
    for (JsonMember& member : members)
      node.members.push_back({std::move(member.key), std::move(member.node)});
    return true;
  }

  bool read_list(Node& node, int depth) {
    if (depth >= max_depth) return fail("values are nested too deep");
    node.kind = NodeKind::list;
    node.style = NodeStyle::flow;
    ++at_;
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (here() == ']')
        return fail("unexpected ',' before ']': JSON has none after the last item");
      if (!read_value(node.items.emplace_back(), depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return fail("missing ',' or ']' after an item");
      skip_space();
    }
  }

  bool read_plain(Node& node) {
    const std::size_t end = std::min(bytes_.find_first_of(" \t\r\n,]}:", at_), bytes_.size());
    const std::string_view word = bytes_.substr(at_, end - at_);
    if (word == "true" || word == "false" || is_number(word)) {
      node.text = word;
    } else if (word != "null") {
      return fail(is_over() ? "the JSON object is never closed; add a '}'"
                            : "a value is missing here: a text between double quotes, a number, "
                              "true, false, null, a list or an object");
    }
    at_ = end;
    return true;
  }

  static bool is_number(std::string_view word) {
    std::size_t at = word.starts_with('-') ? 1 : 0;
    const auto digits = [&] {
      const std::size_t begin = at;
      while (at < word.size() && is_digit(word[at]))
        ++at;
      return at - begin;
    };
    const bool zero = at < word.size() && word[at] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (at < word.size() && word[at] == '.') {
      ++at;
      if (digits() == 0) return false;
    }
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
      ++at;
      if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
      if (digits() == 0) return false;
    }
    return at == word.size();
  }

  bool read_text(std::string& text) {
    ++at_;
    while (!is_over()) {
      const char c = here();
      if (static_cast<unsigned char>(c) < 0x20) {
        return fail(
            "a text goes over the end of its line, or holds a control character; write "
            "\\n or \\u00..");
      }
      ++at_;
      if (c == '"') return true;
      if (c != '\\') {
        text += c;
      } else if (!read_escape(text)) {
        return false;
      }
    }
    return fail("a text is never closed; add a '\"'");
  }

  bool read_escape(std::string& text) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const char c = here();
    if (!is_over() && c == 'u') return read_code(text);
    const std::size_t place = is_over() ? npos : names.find(c);
    if (place == npos) return fail("JSON has no such escape; write \\\\ for a backslash");
    text += meant[place];
    ++at_;
    return true;
  }

  std::optional<std::uint32_t> take_hex() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(here());
      if (is_over() || digit == npos) return std::nullopt;
      code = code * 16 + static_cast<std::uint32_t>(digit % 16);
    }
    return code;
  }

  bool read_code(std::string& text) {
    ++at_;
    auto code = take_hex();
    if (!code) return fail("\\u takes four hexadecimal digits");
    const bool is_high = *code >= 0xD800 && *code < 0xDC00;
    if (is_high) {
      std::optional<std::uint32_t> low;
      if (bytes_.substr(at_).starts_with("\\u")) {
        at_ += 2;
        low = take_hex();
      }
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return fail("half of a pair of \\u escapes");
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    } else if (*code >= 0xDC00 && *code <= 0xDFFF) {
      return fail("half of a pair of \\u escapes");
    }
    append_utf8(text, *code);
    return true;
  }

  std::string_view bytes_;
  std::size_t at_;
  std::size_t counted_;
  std::uint32_t line_;
  std::size_t line_begin_ = 0;
};

// What stands between the parts of a list or map: after the opening bracket, after a comma, and
// before the closing one.
struct Separators {
  std::string first;
  std::string next = " ";
  std::string last;
};

Separators separators_of(std::string_view before) {
  Separators found;
  const bool is_filled = before.size() > 2 && (before[0] == '[' || before[0] == '{');
  if (!is_filled) return found;
  const std::size_t first = before.find_first_not_of(white_space, 1);
  const std::size_t last = before.find_last_not_of(white_space, before.size() - 2);
  if (first >= before.size() - 1 || last == npos) return found;
  found.first = before.substr(1, first - 1);
  found.last = before.substr(last + 1, before.size() - last - 2);
  if (found.first.find('\n') != npos) found.next = found.first;
  return found;
}

std::string write_nested(const Value& value, const Column* column, const Separators& places) {
  const Separators within;
  std::string out;
  const auto add = [&](const std::string& part) {
    out += out.empty() ? places.first : "," + places.next;
    out += part;
  };
  if (value.is_list()) {
    for (const Value& item : value.list())
      add(write_json_value(item, column, ""));
    return '[' + out + (out.empty() ? "" : places.last) + ']';
  }
  for (const Member& member : value.map())
    add(quoted_string(member.key) + ": " + write_json_value(member.value, nullptr, ""));
  return '{' + out + (out.empty() ? "" : places.last) + '}';
}

}  // namespace

bool begins_json_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  std::size_t at = text.find_first_not_of(white_space, 1);
  if (at == npos) return false;
  if (text[at] == '}') {
    at = text.find_first_not_of(" \t\r", at + 1);
    return at == npos || text[at] == '\n';
  }
  if (text[at] != '"') return false;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  if (at >= text.size() || text[at] != '"') return false;
  at = text.find_first_not_of(white_space, at + 1);
  return at != npos && text[at] == ':';
}

JsonObject read_json_object(std::string_view bytes, std::size_t begin, std::uint32_t line) {
  JsonObject object;
  Reader reader(bytes, begin, line);
  reader.read_object(object.members, 0);
  object.problem = std::move(reader.problem);
  object.end = reader.at();
  return object;
}

std::string write_json_value(const Value& value, const Column* column, std::string_view before) {
  if (value.is_null()) return "null";
  if (value.is_list() || value.is_map()) return write_nested(value, column, separators_of(before));
  if (const auto number = written_number(value, column)) return quoted_string(*number);
  if (value.is_text()) return quoted_string(written_text(value.text(), column));
  return write_scalar(value, column, NodeStyle::plain, ScalarPlace::flow);
}

}  // namespace notesdb
