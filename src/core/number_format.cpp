#include "core/number_format.h"

#include <array>

#include "core/text.h"

namespace notesdb {

namespace {

constexpr std::size_t group_size = 3;

// A space, one that does not break, a narrow one.
constexpr std::array<std::string_view, 3> spaces{" ", "\xC2\xA0", "\xE2\x80\xAF"};

std::size_t space_at(std::string_view text) {
  for (const std::string_view space : spaces)
    if (text.starts_with(space)) return space.size();
  return 0;
}

std::string_view without_spaces(std::string_view text) {
  while (const std::size_t size = space_at(text))
    text.remove_prefix(size);
  for (const std::string_view space : spaces)
    if (text.ends_with(space)) return without_spaces(text.substr(0, text.size() - space.size()));
  return text;
}

bool take_sign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text = without_spaces(text.substr(1));
  return is_negative;
}

// Takes the sign between two groups off, as many bytes as it has; any space for a space.
bool take_separator(std::string_view& text, std::string_view separator) {
  std::size_t size = 0;
  if (!separator.empty() && text.starts_with(separator)) size = separator.size();
  if (size == 0 && space_at(separator) != 0) size = space_at(text);
  text.remove_prefix(size);
  return size != 0;
}

// The digits before the fraction, without the signs between their groups; empty if one has not
// three of them.
std::string take_whole(std::string_view& text, std::string_view thousands) {
  std::string digits(take_digits(text));
  const bool may_be_grouped = !digits.empty() && digits.size() <= group_size;
  while (may_be_grouped && take_separator(text, thousands)) {
    const std::string_view group = take_digits(text);
    if (group.size() != group_size) return {};
    digits += group;
  }
  return digits;
}

std::string_view decimal_of(const NumberFormat& format) {
  return format.decimal.empty() ? std::string_view(".") : format.decimal;
}

}  // namespace

std::optional<std::string> problem_of_number_format(const NumberFormat& format) {
  const auto is_sign = [](std::string_view text) {
    return text.empty() || text == "." || text == "," || text == "'" || text == "\xE2\x80\x99" ||
           text == "_" || space_at(text) == text.size();
  };
  if (!format.decimal.empty() && format.decimal != "," && format.decimal != ".")
    return "'decimal' is \",\" or \".\"";
  if (!is_sign(format.thousands)) return "'thousands' is one of . , ' _ and a space";
  if (format.thousands == decimal_of(format))
    return "'thousands' and 'decimal' are the same sign, \"" + format.thousands + '"';
  for (const std::string& affix : {format.prefix, format.suffix}) {
    if (affix.find_first_of("0123456789\r\n") != affix.npos)
      return "what stands beside a number has no digits and is one line, unlike '" + affix + "'";
    if (without_spaces(affix).find_first_of("+-") == 0)
      return "'" + affix + "' would be read as the number's sign";
  }
  return std::nullopt;
}

std::optional<std::string> to_plain_number(std::string_view text, const NumberFormat& format) {
  text = without_spaces(text);
  bool is_negative = take_sign(text);
  const std::string_view prefix = without_spaces(format.prefix);
  if (!prefix.empty() && text.starts_with(prefix)) {
    text = without_spaces(text.substr(prefix.size()));
    if (!is_negative) is_negative = take_sign(text);
  }
  const std::string_view suffix = without_spaces(format.suffix);
  if (!suffix.empty() && text.ends_with(suffix))
    text = without_spaces(text.substr(0, text.size() - suffix.size()));

  std::string plain = is_negative ? "-" : "";
  const std::string whole = take_whole(text, format.thousands);
  if (whole.empty()) return std::nullopt;
  plain += whole;
  if (text.starts_with(decimal_of(format))) {
    text.remove_prefix(decimal_of(format).size());
    const std::string_view fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
    plain.append(".").append(fraction);
  }
  if (text.starts_with('e')) {
    plain += text.substr(0, 1);
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) {
      plain += text.substr(0, 1);
      text.remove_prefix(1);
    }
    const std::string_view exponent = take_digits(text);
    if (exponent.empty()) return std::nullopt;
    plain += exponent;
  }
  if (!text.empty()) return std::nullopt;
  return plain;
}

std::string from_plain_number(std::string_view number, const NumberFormat& format) {
  std::string text;
  if (number.starts_with('-')) {
    text = "-";
    number.remove_prefix(1);
  }
  text += format.prefix;
  const std::string_view whole = take_digits(number);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const bool ends_group = at > 0 && (whole.size() - at) % group_size == 0;
    if (ends_group) text += format.thousands;
    text += whole[at];
  }
  if (number.starts_with('.')) {
    text += decimal_of(format);
    number.remove_prefix(1);
  }
  return text.append(number).append(format.suffix);
}

}  // namespace notesdb
