#include "yaml/writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "core/date_format.h"
#include "core/number_text.h"
#include "core/text.h"
#include "yaml/gate.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

// Words that are not text to a reader of some version, in lower case.
constexpr std::array special_words{std::string_view{"null"},
                                   std::string_view{"true"},
                                   std::string_view{"false"},
                                   std::string_view{"yes"},
                                   std::string_view{"no"},
                                   std::string_view{"on"},
                                   std::string_view{"off"},
                                   std::string_view{"y"},
                                   std::string_view{"n"},
                                   std::string_view{"~"},
                                   std::string_view{"="},
                                   std::string_view{"<<"},
                                   std::string_view{".inf"},
                                   std::string_view{".nan"},
                                   std::string_view{"+.inf"},
                                   std::string_view{"-.inf"},
                                   std::string_view{"inf"},
                                   std::string_view{"nan"},
                                   std::string_view{"infinity"}};

bool is_special_word(std::string_view text) {
  if (text.size() > 8) return false;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return std::ranges::find(special_words, lower) != special_words.end();
}

// 2026-01-31 with anything after it that could be a time.
bool looks_like_date(std::string_view text) {
  auto digits = [&text](std::size_t most) {
    std::size_t count = 0;
    while (count < most && count < text.size() && is_digit(text[count]))
      ++count;
    text.remove_prefix(count);
    return count;
  };
  auto dash = [&text] {
    bool found = text.starts_with('-');
    if (found) text.remove_prefix(1);
    return found;
  };
  if (digits(4) != 4 || !dash() || digits(2) == 0 || !dash() || digits(2) == 0) return false;
  return text.empty() || std::string_view("Tt ").find(text[0]) != npos;
}

// Every spelling of a number in either version, and a little more: signs, digits, `_`, one point,
// an exponent, 0x 0o 0b, sexagesimals such as 12:30:45.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) return false;
  if (text.size() > 2 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != npos) {
    return text.find_first_not_of("0123456789abcdefABCDEF_", 2) == npos;
  }
  if (text.find_first_of("0123456789") == npos) return false;
  std::size_t exponent = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, exponent);
  if (mantissa.find_first_not_of("0123456789_.:") != npos) return false;
  if (mantissa.find(':') == npos && std::ranges::count(mantissa, '.') > 1) return false;
  if (exponent == npos) return true;
  std::string_view power = text.substr(exponent + 1);
  if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
  return power.find_first_not_of("0123456789_") == npos;
}

// A sequence of bytes that some reader takes for a line break, a mark or nothing printable:
// C0, DEL, C1, U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF. Its code point, or 0; `length` in bytes.
char32_t unprintable_at(std::string_view text, std::size_t at, std::size_t& length) {
  auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  length = 1;
  if (byte(0) < 0x20 || byte(0) == 0x7F) return byte(0) == 0 ? 0x110000 : byte(0);
  length = 2;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return byte(1);
  length = 3;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xA9) {
    return 0x2000 + (byte(2) - 0x80);
  }
  if (byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF) return 0xFEFF;
  if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0xFFC0 + (byte(2) - 0x80);
  length = 1;
  return 0;
}

bool is_printable(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (unprintable_at(text, at, length) != 0) return false;
  return true;
}

bool has_plain_shape(std::string_view text, ScalarPlace place) {
  constexpr std::string_view indicators = "-?:,[]{}#&*!|>'\"%@` ";
  if (indicators.find(text.front()) != npos) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  if (text.starts_with("...")) return false;
  if (text.find(": ") != npos || text.find(" #") != npos) return false;
  // libyaml takes ":?" within a flow list for the end of a key, and refuses the text.
  return place == ScalarPlace::block ||
         (text.find_first_of(",[]{}") == npos && text.find(":?") == npos);
}

std::string write_real(double number) {
  std::string text = real_text(number);
  // Readers of YAML 1.1 know a float by its point.
  if (text.find('.') == npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

bool is_date_column(const Column* column) {
  return column != nullptr &&
         (column->type == ColumnType::date || column->type == ColumnType::datetime);
}

}  // namespace

std::optional<std::string> write_decimals(const Value& value, const Column* column) {
  if (column == nullptr || !column->decimals || !value.is_number()) return std::nullopt;
  const double number = value.is_integer() ? static_cast<double>(value.integer()) : value.real();
  constexpr double most = 1e15;
  if (!(number > -most && number < most)) return std::nullopt;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", *column->decimals, number);
  if (std::strtod(text, nullptr) != number) return std::nullopt;
  return text;
}

std::optional<std::string> written_number(const Value& value, const Column* column) {
  if (column == nullptr || column->number_format.is_plain() || !value.is_number())
    return std::nullopt;
  const std::string plain = write_decimals(value, column).value_or(to_display(value));
  std::string spelled = from_plain_number(plain, column->number_format);
  if (spelled == plain) return std::nullopt;
  return spelled;
}

std::string written_text(const std::string& text, const Column* column) {
  if (column == nullptr || column->formats.empty()) return text;
  const auto moment = parse_given_date(*column, text);
  const auto written = moment ? write_date(*moment, *column) : std::nullopt;
  return written.value_or(text);
}

bool is_safe_plain(std::string_view text, ScalarPlace place) {
  return !text.empty() && has_plain_shape(text, place) && is_printable(text) &&
         !is_special_word(text) && !looks_like_number(text) && !looks_like_date(text);
}

std::string double_quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out = "\"";
  std::size_t length = 1;
  for (std::size_t at = 0; at < text.size(); at += length) {
    char32_t code = unprintable_at(text, at, length);
    if (code == 0) {
      if (text[at] == '"' || text[at] == '\\') out += '\\';
      out += text[at];
      continue;
    }
    if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\r') {
      out += "\\r";
    } else {
      out += "\\u";
      for (unsigned shift : {12U, 8U, 4U, 0U})
        out += hex[(code >> shift) & 0xF];
    }
  }
  return out + '"';
}

std::string write_text(std::string_view text, NodeStyle style, ScalarPlace place) {
  // Two quotes side by side would be four, which libfyaml 0.7 reads as three.
  bool single_quotes_hold = is_printable(text) && text.find("''") == std::string_view::npos;
  if (style == NodeStyle::single_quoted && single_quotes_hold) {
    std::string out = "'";
    for (char c : text)
      out += c == '\'' ? "''" : std::string(1, c);
    return out + '\'';
  }
  if (style != NodeStyle::double_quoted && is_safe_plain(text, place)) return std::string(text);
  return double_quoted(text);
}

std::string write_scalar(const Value& value,
                         const Column* column,
                         NodeStyle style,
                         ScalarPlace place) {
  if (const auto number = written_number(value, column)) return write_text(*number, style, place);
  switch (value.kind()) {
    case ValueKind::null: return place == ScalarPlace::block ? "" : "null";
    case ValueKind::boolean: return value.boolean() ? "true" : "false";
    case ValueKind::integer:
      return write_decimals(value, column).value_or(std::to_string(value.integer()));
    case ValueKind::real: return write_decimals(value, column).value_or(write_real(value.real()));
    default: break;
  }
  const std::string text = written_text(value.text(), column);
  bool quoted = style == NodeStyle::single_quoted || style == NodeStyle::double_quoted;
  if (!quoted && is_date_column(column) && parse_moment(text) && has_plain_shape(text, place)) {
    return text;
  }
  return write_text(text, style, place);
}

namespace {

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
