#include "alter/conversion.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/date.h"
#include "core/text.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

constexpr auto npos = std::string_view::npos;

std::vector<std::string_view> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(separators, at);
    if (begin == npos) break;
    at = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

std::optional<int> number_of(std::string_view digits) {
  int number = 0;
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// January, Jan, jan., of English texts.
std::optional<int> month_of(std::string_view word) {
  constexpr std::array<std::string_view, 12> months{"january",
                                                    "february",
                                                    "march",
                                                    "april",
                                                    "may",
                                                    "june",
                                                    "july",
                                                    "august",
                                                    "september",
                                                    "october",
                                                    "november",
                                                    "december"};
  std::string name = fold_case(word);
  if (name.ends_with('.')) name.pop_back();
  if (name.size() < 3) return std::nullopt;
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (months[i].starts_with(name)) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::optional<Value> date_from(std::optional<int> year,
                               std::optional<int> month,
                               std::optional<int> day) {
  if (!year || !month || !day || *year < 1000) return std::nullopt;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", *year, *month, *day);
  if (!parse_moment(text.data())) return std::nullopt;
  return Value(std::string(text.data()));
}

std::optional<Value> date_of(std::string_view text) {
  text = trimmed(text);
  if (parse_moment(text)) return Value(text);
  const auto year_first = words_of(text, "/.");
  const bool is_year_first = year_first.size() == 3 && year_first[0].size() == 4;
  if (is_year_first) {
    return date_from(number_of(year_first[0]), number_of(year_first[1]), number_of(year_first[2]));
  }
  const auto words = words_of(text, " ,");
  if (words.size() != 3 || words[2].size() != 4) return std::nullopt;
  const auto first = month_of(words[0]);
  const std::string_view day = first ? words[1] : words[0];
  return date_from(number_of(words[2]), first ? first : month_of(words[1]), number_of(day));
}

std::optional<Value> checkbox_of(const Value& value) {
  if (value.is_integer() && (value.integer() == 0 || value.integer() == 1)) {
    return Value(value.integer() == 1);
  }
  if (!value.is_text()) return std::nullopt;
  const std::string word = fold_case(trimmed(value.text()));
  for (const std::string_view yes : {"true", "yes", "on", "y", "x", "1"})
    if (word == yes) return Value(true);
  for (const std::string_view no : {"false", "no", "off", "n", "0"})
    if (word == no) return Value(false);
  return std::nullopt;
}

// The option that a text means, whatever its letters' case and the spaces around it.
Value option_of(const Column& column, const Value& value) {
  if (!value.is_text()) return value;
  const auto& options = column.options;
  if (std::ranges::find(options, value.text()) != options.end()) return value;
  const std::string folded = fold_case(trimmed(value.text()));
  for (const std::string& option : options)
    if (fold_case(option) == folded) return option;
  return value;
}

std::optional<Value> to_list(const Value& value, const Column& to) {
  List list;
  if (value.is_list()) {
    for (const Value& item : value.list()) {
      if (!item.is_scalar()) return std::nullopt;
      if (!item.is_null()) list.push_back(item.is_text() ? item : Value(to_display(item)));
    }
  } else if (!value.is_text()) {
    if (value.is_map()) return std::nullopt;
    list.emplace_back(to_display(value));
  } else if (to.type == ColumnType::multi_select) {
    for (const std::string_view word : words_of(value.text(), ","))
      if (!trimmed(word).empty()) list.emplace_back(trimmed(word));
  } else {
    list.push_back(value);
  }
  for (Value& item : list)
    if (has_options(to.type)) item = option_of(to, item);
  return list;
}

std::optional<Value> to_scalar(const Value& value, const Column& to) {
  if (value.is_map()) return std::nullopt;
  if (value.is_list()) {
    const List& list = value.list();
    if (list.empty()) return Value();
    if (list.size() == 1) return to_scalar(list.front(), to);
    if (to.type != ColumnType::text) return std::nullopt;
    std::string joined;
    for (const Value& item : list) {
      if (!item.is_scalar()) return std::nullopt;
      joined += (joined.empty() ? "" : ", ") + (item.is_text() ? item.text() : to_display(item));
    }
    return joined;
  }
  switch (to.type) {
    case ColumnType::checkbox: return checkbox_of(value);
    case ColumnType::number: {
      if (value.is_boolean()) return Value(value.boolean() ? 1 : 0);
      if (!value.is_text()) return std::nullopt;
      auto reading = read_as(to, NodeStyle::plain, trimmed(value.text()));
      return reading.fits() ? std::optional(std::move(reading.value)) : std::nullopt;
    }
    case ColumnType::date:
    case ColumnType::datetime: return value.is_text() ? date_of(value.text()) : std::nullopt;
    default: return value.is_text() ? value : Value(to_display(value));
  }
}

}  // namespace

bool has_options(ColumnType type) {
  return type == ColumnType::select || type == ColumnType::multi_select;
}

std::optional<Value> convert(const Node& node, const Column& from, const Column& to) {
  Reading as_new = read_as(to, node);
  if (as_new.fits() && !has_options(to.type)) return std::move(as_new.value);
  const Value old = as_new.fits() ? std::move(as_new.value) : read_as(from, node).value;
  if (old.is_null() || (old.is_text() && trimmed(old.text()).empty())) return Value();
  if (to.holds_list()) return to_list(old, to);
  auto scalar = to_scalar(old, to);
  return scalar && has_options(to.type) ? option_of(to, *scalar) : scalar;
}

}  // namespace notesdb
