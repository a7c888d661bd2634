#include "yaml/scalar.h"

#include <charconv>
#include <optional>

#include "core/date_format.h"
#include "core/text.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

// More digits than this are an id to their owner, and a double would not keep them.
constexpr std::size_t max_digits = 15;

// Text that has the form of a core number, taken apart.
struct Number {
  bool plus = false;
  std::string_view whole;
  std::string_view fraction;
  bool has_point = false;
  bool has_exponent = false;
};

std::optional<Number> number_form(std::string_view text) {
  Number number;
  if (text.starts_with('-') || text.starts_with('+')) {
    number.plus = text[0] == '+';
    text.remove_prefix(1);
  }
  number.whole = take_digits(text);
  if (text.starts_with('.')) {
    number.has_point = true;
    text.remove_prefix(1);
    number.fraction = take_digits(text);
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    number.has_exponent = true;
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (take_digits(text).empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return number;
}

std::optional<Value> parse_integer(std::string_view digits, int base) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return Value(value);
}

// 0o17 and 0x1F.
std::optional<Value> parse_based(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || text[2] == '-') return std::nullopt;
  if (text[1] == 'o') return parse_integer(text.substr(2), 8);
  if (text[1] == 'x') return parse_integer(text.substr(2), 16);
  return std::nullopt;
}

std::optional<Value> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return Value(value);
}

// A number as a number column takes it: every spelling of the core rules, whatever its zeros.
std::optional<Value> parse_number(std::string_view text) {
  if (auto based = parse_based(text)) return based;
  auto form = number_form(text);
  if (!form) return std::nullopt;
  if (form->has_point || form->has_exponent) return parse_real(text);
  return parse_integer(form->plus ? text.substr(1) : text, 10);
}

// Whether a number may be read as one although nobody said that it is: nothing of its spelling
// would be lost that an owner could care for.
bool is_surely_number(const Number& form) {
  if (form.plus || form.whole.empty() || (form.has_point && form.fraction.empty())) return false;
  if (form.whole.size() > 1 && form.whole[0] == '0') return false;
  return form.whole.size() + form.fraction.size() <= max_digits;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool is_quoted(NodeStyle style) {
  return style != NodeStyle::plain;
}

Value untyped_scalar(NodeStyle style, std::string_view text) {
  return is_quoted(style) ? Value(text) : read_untyped_plain(text);
}

Reading invalid(Value value, std::string_view what) {
  std::string problem = to_display(value) + " is not " + std::string(what);
  return {std::move(value), std::move(problem)};
}

// As the files of the column spell it.
std::optional<Value> parse_written_number(const NumberFormat& format, std::string_view text) {
  if (format.is_plain()) return parse_number(text);
  const auto plain = to_plain_number(text, format);
  return plain ? parse_number(*plain) : std::nullopt;
}

Reading read_number(const Column& column, NodeStyle style, std::string_view text) {
  if (auto number = parse_written_number(column.number_format, text))
    return {std::move(*number), {}};
  if (!column.number_format.is_plain()) {
    const std::string example = column.decimals == 0 ? "1234" : "1234.50";
    return invalid(Value(text),
                   "a number such as " + from_plain_number(example, column.number_format));
  }
  auto form = number_form(text);
  if (form && !form->has_point && !form->has_exponent) {
    return invalid(Value(text), "a number that 64 bits can hold");
  }
  return invalid(untyped_scalar(style, text), "a number");
}

Reading read_checkbox(NodeStyle style, std::string_view text) {
  if (auto boolean = parse_boolean(text)) return {Value(*boolean), {}};
  return invalid(untyped_scalar(style, text), "true or false");
}

Reading read_date(const Column& column, std::string_view text) {
  if (column.formats.empty()) {
    if (parse_moment(text)) return {Value(text), {}};
  } else if (const auto moment = parse_written_date(column, text)) {
    return {Value(format_moment(*moment)), {}};
  }
  if (!column.formats.empty()) return invalid(Value(text), "a date as " + column.formats.front());
  return invalid(Value(text), "a date such as 2026-01-31 or 2026-01-31 09:05");
}

// One item of a list column, or the value of a text column.
Reading read_text(NodeStyle style, std::string_view text) {
  if (!is_quoted(style) && is_null_text(text)) return {};
  return {Value(text), {}};
}

Reading read_list(const Node& node) {
  List list;
  std::string problem;
  for (const Node& item : node.items) {
    if (item.is_scalar()) {
      list.push_back(read_text(item.style, item.text).value);
      continue;
    }
    list.push_back(read_untyped(item));
    problem = "a list of texts holds " + to_display(list.back()) +
              "; put quotes around an item that begins with a bracket";
  }
  return {Value(std::move(list)), std::move(problem)};
}

// How a text is meant as a list: "one, two" as two items, a link or anything with signs of YAML as one.
std::string as_list(std::string_view text) {
  const bool has_signs = text.find_first_of("[]{}\"'#:&*!|>%@`") != std::string_view::npos;
  return "[" + (has_signs ? double_quoted(text) : std::string(text)) + "]";
}

bool is_json(ColumnType type) {
  return type == ColumnType::json || type == ColumnType::rollup || type == ColumnType::formula ||
         type == ColumnType::unknown;
}

}  // namespace

bool is_null_text(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

Value read_untyped_plain(std::string_view text) {
  if (is_null_text(text)) return {};
  if (auto boolean = parse_boolean(text)) return *boolean;
  if (text.size() > max_digits + 2 && parse_based(text)) return text;
  if (auto based = parse_based(text)) return *based;
  auto form = number_form(text);
  if (!form || !is_surely_number(*form)) return text;
  auto number = parse_number(text);
  return number ? std::move(*number) : Value(text);
}

Value read_untyped(const Node& node) {
  switch (node.kind) {
    case NodeKind::scalar: return untyped_scalar(node.style, node.text);
    case NodeKind::unread: return {};
    case NodeKind::list: break;
    case NodeKind::map: {
      Map map;
      for (const NodeMember& member : node.members)
        map.push_back({member.key, read_untyped(member.value)});
      return map;
    }
  }
  List list;
  for (const Node& item : node.items)
    list.push_back(read_untyped(item));
  return list;
}

Reading read_as(const Column& column, NodeStyle style, std::string_view text) {
  if (is_json(column.type)) return {untyped_scalar(style, text), {}};
  if (!is_quoted(style) && is_null_text(text)) return {};
  if (column.holds_list()) return invalid(Value(text), "a list; write it as " + as_list(text));
  switch (column.type) {
    case ColumnType::number: return read_number(column, style, text);
    case ColumnType::checkbox: return read_checkbox(style, text);
    case ColumnType::date:
    case ColumnType::datetime: return read_date(column, text);
    default: return {Value(text), {}};
  }
}

Reading read_given_number(const Column& column, std::string_view text) {
  const auto plain = parse_number(text);
  const auto written = parse_written_number(column.number_format, text);
  if (!plain) return read_number(column, NodeStyle::double_quoted, text);
  if (!written || *written == *plain) return {*plain, {}};
  const NumberFormat& format = column.number_format;
  std::string problem = std::string(text) + " may be " + to_display(*plain) + " or " +
                        to_display(*written) + "; write " + from_plain_number(text, format) +
                        " or " + to_display(*written);
  return {Value(text), std::move(problem)};
}

bool scalar_fits(const Column& column, NodeStyle style, std::string_view text) {
  if (is_json(column.type) || (!is_quoted(style) && is_null_text(text))) return true;
  if (column.holds_list()) return false;
  switch (column.type) {
    case ColumnType::number: return parse_written_number(column.number_format, text).has_value();
    case ColumnType::checkbox: return parse_boolean(text).has_value();
    case ColumnType::date:
    case ColumnType::datetime: return parse_written_date(column, text).has_value();
    default: return true;
  }
}

bool list_fits(const Column& column) {
  return is_json(column.type) || column.holds_list();
}

Reading read_as(const Column& column, const Node& node) {
  if (is_json(column.type)) return {read_untyped(node), {}};
  if (node.is_scalar()) return read_as(column, node.style, node.text);
  if (node.is_list() && column.holds_list()) return read_list(node);
  Value value = read_untyped(node);
  std::string problem = std::string(node.is_list() ? "a list" : "a map") + " stands in a " +
                        std::string(name_of(column.type)) +
                        " column; quote a text that begins with a bracket";
  return {std::move(value), std::move(problem)};
}

}  // namespace notesdb
