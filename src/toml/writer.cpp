#include "toml/writer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/number_text.h"
#include "toml/reader.h"
#include "yaml/scalar.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

constexpr std::string_view three_quotes = "\"\"\"";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

std::string escape_of(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\t': return "\\t";
    case '\n': return "\\n";
    case '\f': return "\\f";
    case '\r': return "\\r";
    default: break;
  }
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(c);
  return std::string("\\u00") + digits[code >> 4U] + digits[code & 15U];
}

std::string basic(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' || c == '\\' || is_control(c) ? escape_of(c) : std::string(1, c);
  return quoted + '"';
}

std::string multi_line(std::string_view text, std::string_view before) {
  std::string quoted(three_quotes);
  if (before.substr(three_quotes.size()).starts_with('\n')) quoted += '\n';
  for (const char c : text) {
    const bool stays = c == '\n' || (c != '"' && c != '\\' && !is_control(c));
    quoted += stays ? std::string(1, c) : escape_of(c);
  }
  return quoted + std::string(three_quotes);
}

// Whether the text, bare, is a moment of TOML that reads back as itself.
bool is_toml_moment(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  if (text.find_first_not_of("0123456789-:.TtZz+ ") != std::string_view::npos) return false;
  const TomlReading reading = read_toml("a = " + std::string(text), 1);
  if (reading.problem || reading.members.size() != 1) return false;
  const Node& node = reading.members.front().value;
  return node.is_scalar() && node.style == NodeStyle::plain && node.text == text &&
         text.find_first_of("-:") != std::string_view::npos;
}

bool holds_moments(const Column* column) {
  return column != nullptr &&
         (column->type == ColumnType::date || column->type == ColumnType::datetime);
}

std::string write_toml_text(const std::string& text,
                            const Column* column,
                            std::string_view before) {
  const bool was_quoted = before.starts_with('"') || before.starts_with('\'');
  if (holds_moments(column) && !was_quoted && is_toml_moment(text)) return text;
  const bool may_be_literal =
      std::ranges::none_of(text, [](char c) { return c == '\'' || is_control(c); });
  if (before.starts_with('\'') && may_be_literal) return '\'' + text + '\'';
  const bool has_crlf = before.find('\r') != std::string_view::npos;
  if (before.starts_with(three_quotes) && !has_crlf && text.find('\n') != std::string::npos)
    return multi_line(text, before);
  return basic(text);
}

std::string write_real(double number) {
  std::string text = real_text(number);
  if (!std::isfinite(number)) std::erase(text, '.');
  return text;
}

// Whether an item of an array, as it is spelled, has this value; a column of texts reads 2020 as
// text.
bool has_value(std::string_view spelled, const Value& value) {
  const TomlReading reading = read_toml("a = " + std::string(spelled), 1);
  if (reading.members.empty()) return false;
  const Node& node = reading.members.front().value;
  if (value.is_text() && node.is_scalar()) return node.text == value.text();
  return read_untyped(node) == value;
}

// How an array is laid out: between `open` and `close`, with `between` its items.
struct ArrayLayout {
  std::string open = "[";
  std::string between = ", ";
  std::string close = "]";
};

ArrayLayout layout_of(std::string_view before, std::string_view line_ending) {
  ArrayLayout layout;
  const std::size_t newline = before.find('\n');
  if (newline == std::string_view::npos) {
    if (before.starts_with("[ ")) layout = {"[ ", ", ", " ]"};
    return layout;
  }
  const std::string eol(line_ending);
  const std::size_t first = before.find_first_not_of(" \t\r\n", newline);
  const std::size_t line = before.rfind('\n', first) + 1;
  const std::string indent(before.substr(line, first - line));
  const std::string_view last = before.substr(before.rfind('\n') + 1);
  const std::size_t end = before.find_last_not_of(" \t\r\n]");
  const bool has_last_comma = end != std::string_view::npos && before[end] == ',';
  const bool is_own_line = last.find_first_not_of(" \t]") == std::string_view::npos;
  layout.open = "[" + eol + (before[first] == ']' ? "  " : indent);
  layout.between = "," + eol + indent;
  layout.close = std::string(has_last_comma ? "," : "") +
                 (is_own_line ? eol + std::string(last.substr(0, last.find(']'))) : "") + "]";
  return layout;
}

std::optional<std::string> write_array(const List& list,
                                       const Column* column,
                                       std::string_view before,
                                       std::string_view line_ending) {
  std::vector<std::string_view> items;
  if (before.starts_with('[')) {
    auto found = items_of_toml_array(before);
    if (!found) return std::nullopt;
    items = std::move(*found);
  }
  if (list.empty()) return "[]";
  const ArrayLayout layout = layout_of(before, line_ending);
  std::string text;
  for (const Value& item : list) {
    const auto same = std::ranges::find_if(
        items, [&](std::string_view spelled) { return has_value(spelled, item); });
    const std::string_view like = items.empty() ? std::string_view() : items.front();
    const auto written = same != items.end() ? std::optional<std::string>(*same)
                                             : write_toml(item, column, like, line_ending);
    if (!written) return std::nullopt;
    text += (text.empty() ? layout.open : layout.between) + *written;
  }
  return text + layout.close;
}

std::optional<std::string> write_inline_table(const Map& map) {
  if (map.empty()) return "{}";
  std::string text;
  for (const Member& member : map) {
    const auto value = write_toml(member.value, nullptr, "", "\n");
    if (!value) return std::nullopt;
    text += (text.empty() ? "{ " : ", ") + write_toml_key(member.key) + " = " + *value;
  }
  return text + " }";
}

}  // namespace

std::string write_toml_key(std::string_view key) {
  constexpr std::string_view bare =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  const bool is_bare = !key.empty() && key.find_first_not_of(bare) == std::string_view::npos;
  return is_bare ? std::string(key) : basic(key);
}

std::optional<std::string> write_toml(const Value& value,
                                      const Column* column,
                                      std::string_view before,
                                      std::string_view line_ending) {
  if (const auto number = written_number(value, column))
    return write_toml_text(*number, column, before);
  switch (value.kind()) {
    case ValueKind::null: return std::nullopt;
    case ValueKind::boolean: return value.boolean() ? "true" : "false";
    case ValueKind::integer:
      return write_decimals(value, column).value_or(std::to_string(value.integer()));
    case ValueKind::real: return write_decimals(value, column).value_or(write_real(value.real()));
    case ValueKind::text:
      return write_toml_text(written_text(value.text(), column), column, before);
    case ValueKind::list: return write_array(value.list(), column, before, line_ending);
    case ValueKind::map: break;
  }
  return write_inline_table(value.map());
}

}  // namespace notesdb
