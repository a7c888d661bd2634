#include "infer/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/date.h"
#include "core/date_format.h"
#include "core/number_format.h"
#include "core/text.h"

namespace notesdb {
namespace {

using Texts = std::vector<std::string_view>;

// Four of five: then the rest are exceptions.
bool are_most(std::size_t count, std::size_t all) {
  return count > 0 && count * 5 >= all * 4;
}

int number_at(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Whether a year from 1900 to 2100 stands there, four digits long.
bool has_year(std::string_view text) {
  while (!text.empty()) {
    const std::string_view digits = take_digits(text);
    if (digits.size() == 4 && number_at(digits) >= 1900 && number_at(digits) <= 2100) return true;
    if (!text.empty()) text.remove_prefix(1);
  }
  return false;
}

bool is_iso(std::string_view text) {
  return parse_moment(text).has_value();
}

bool fits(std::string_view text, std::string_view format) {
  return has_year(text) && parse_date(text, format).has_value();
}

std::size_t count_fits(const Texts& texts, const std::string& format) {
  return static_cast<std::size_t>(std::ranges::count_if(
      texts, [&](std::string_view text) { return is_iso(text) || fits(text, format); }));
}

// 7/1/2024 and what stands behind it.
struct DayAndMonth {
  int first = 0;
  int second = 0;
  char separator = '/';
  std::string_view rest;
};

std::optional<DayAndMonth> day_and_month_of(std::string_view text) {
  const std::string_view first = take_digits(text);
  if (first.empty() || first.size() > 2 || text.empty()) return std::nullopt;
  const char separator = text.front();
  if (separator != '/' && separator != '.' && separator != '-') return std::nullopt;
  text.remove_prefix(1);
  const std::string_view second = take_digits(text);
  if (second.empty() || second.size() > 2 || !text.starts_with(separator)) return std::nullopt;
  text.remove_prefix(1);
  const std::string_view year = take_digits(text);
  if (year.size() != 4 || !has_year(year)) return std::nullopt;
  return DayAndMonth{number_at(first), number_at(second), separator, text};
}

// The formats of which one letter stands for a digit or two, as the texts write them: 7/1/2024, with
// no 07 anywhere, is D/M/YYYY.
std::string padded_as(const Texts& texts, std::string format) {
  bool has_zero = false;
  bool has_single = false;
  bool has_single_hour = false;
  bool has_zero_hour = false;
  for (std::string_view text : texts) {
    if (is_iso(text)) continue;
    text = text.substr(0, text.find(':'));  // what stands before the minutes
    while (!text.empty()) {
      const std::string_view digits = take_digits(text);
      const bool is_hour = text.empty() && digits.size() < 3 && format.find(':') != format.npos;
      has_single_hour = has_single_hour || (is_hour && digits.size() == 1);
      has_zero_hour = has_zero_hour || (is_hour && digits.size() == 2 && digits.front() == '0');
      has_zero = has_zero || (!is_hour && digits.size() == 2 && digits.front() == '0');
      has_single = has_single || (!is_hour && digits.size() == 1);
      if (!text.empty()) text.remove_prefix(1);
    }
  }
  const auto replace = [&](std::string_view token, std::string_view by) {
    const std::size_t place = format.find(token);
    const bool is_longer = place != format.npos && format.substr(place + token.size(), 1) == "M";
    if (place != format.npos && !is_longer) format.replace(place, token.size(), by);
  };
  if (has_single_hour && !has_zero_hour) replace("HH", "H");
  if (has_single && !has_zero) {
    replace("DD", "D");
    replace("MM", "M");
  } else if (has_zero && format.find("DD") == format.npos && format.find("Do") == format.npos) {
    replace("D", "DD");
  }
  return format;
}

constexpr std::array<std::string_view, 7> times{
    "", " HH:mm", " HH:mm:ss", ", HH:mm", " h:mm A", " HH:mm:ss ZZ", " HH:mm ZZ"};

// That can be read in one way only.
constexpr std::array<std::string_view, 16> plain_formats{"YYYY-MM-DD",
                                                         "YYYY/MM/DD",
                                                         "YYYY.MM.DD",
                                                         "D MMMM YYYY",
                                                         "D MMM YYYY",
                                                         "D. MMMM YYYY",
                                                         "D-MMM-YYYY",
                                                         "Do MMMM YYYY",
                                                         "MMMM D, YYYY",
                                                         "MMM D, YYYY",
                                                         "MMMM Do, YYYY",
                                                         "MMM Do, YYYY",
                                                         "dddd, D MMMM YYYY",
                                                         "dddd, MMMM D, YYYY",
                                                         "ddd, D MMM YYYY",
                                                         "MMMM D YYYY"};

bool has_time(std::string_view format) {
  return format.find(':') != format.npos;
}

Spelling spelled(const Texts& texts, const std::string& format) {
  const bool is_with_time = has_time(format) || std::ranges::any_of(texts, [](auto text) {
                              const auto moment = parse_moment(text);
                              return moment && moment->has_time;
                            });
  return {is_with_time ? ColumnType::datetime : ColumnType::date, padded_as(texts, format), {}, {}};
}

// The day may come first or the month: only parts over 12 say which.
Spelling find_by_day_and_month(const Texts& texts) {
  std::size_t day_first = 0;
  std::size_t month_first = 0;
  std::optional<DayAndMonth> any;
  for (const std::string_view text : texts) {
    const auto parts = day_and_month_of(text);
    if (!parts) continue;
    if (!any) any = parts;
    day_first += parts->first > 12 && parts->second <= 12 ? 1 : 0;
    month_first += parts->second > 12 && parts->first <= 12 ? 1 : 0;
  }
  if (!any) return {};
  const std::string s(1, any->separator);
  for (const std::string_view time : times) {
    const std::string day = "DD" + s + "MM" + s + "YYYY" + std::string(time);
    const std::string month = "MM" + s + "DD" + s + "YYYY" + std::string(time);
    const auto either = static_cast<std::size_t>(std::ranges::count_if(
        texts, [&](auto text) { return is_iso(text) || fits(text, day) || fits(text, month); }));
    if (!are_most(either, texts.size())) continue;
    constexpr std::size_t overwhelming = 20;
    if (day_first > 0 && day_first >= month_first * overwhelming) return spelled(texts, day);
    if (month_first > 0 && month_first >= day_first * overwhelming) return spelled(texts, month);
    Spelling open;
    open.open = {padded_as(texts, day), padded_as(texts, month)};
    return open;
  }
  return {};
}

Spelling find_plain(const Texts& texts) {
  // Few texts say which formats are worth a count of all.
  constexpr std::size_t enough = 40;
  Texts sample;
  for (std::size_t at = 0; at < texts.size(); at += texts.size() / enough + 1)
    sample.push_back(texts[at]);
  for (const std::string_view date : plain_formats) {
    for (const std::string_view time : times) {
      const std::string format = std::string(date) + std::string(time);
      const bool is_candidate =
          std::ranges::any_of(sample, [&](auto text) { return fits(text, format); });
      if (is_candidate && count_fits(sample, format) * 2 >= sample.size() &&
          are_most(count_fits(texts, format), texts.size()))
        return spelled(texts, format);
    }
  }
  return {};
}

// Seconds or milliseconds since 1970, where the key says that it is a time.
Spelling find_epoch(std::string_view key, const Texts& texts) {
  const std::string folded = fold_case(key);
  constexpr std::array<std::string_view, 5> words{
      "created", "updated", "modified", "date", "timestamp"};
  const bool is_time = std::ranges::any_of(
      words, [&](std::string_view word) { return folded.find(word) != folded.npos; });
  if (!is_time) return {};
  for (const auto& [digits, format] : {std::pair<std::size_t, const char*>{10, "X"}, {13, "x"}}) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(texts, [&](auto text) {
      return text.size() == digits && std::ranges::all_of(text, is_digit) && text < "4102444800";
    }));
    if (are_most(count, texts.size())) return {ColumnType::datetime, format, {}, {}};
  }
  return {};
}

}  // namespace

Spelling find_date_spelling(std::string_view key, const std::vector<std::string_view>& texts) {
  if (texts.empty()) return {};
  if (Spelling epoch = find_epoch(key, texts); epoch.type != ColumnType::text) return epoch;
  const auto dated = static_cast<std::size_t>(
      std::ranges::count_if(texts, [](auto text) { return text.size() < 60 && has_year(text); }));
  if (!are_most(dated, texts.size())) return {};
  Spelling found = find_by_day_and_month(texts);
  if (found.type != ColumnType::text || !found.open.empty()) return found;
  return find_plain(texts);
}

// Of 1.10, 1.20, 1.30 nobody can say whether they are versions; a version is not 12.00, nor is 851.35
// one beside them.
std::optional<int> find_decimals(const std::vector<std::string_view>& texts) {
  std::optional<std::size_t> decimals;
  bool is_amount = false;
  for (const std::string_view text : texts) {
    const std::size_t point = text.find('.');
    const std::size_t count = point == text.npos ? 0 : text.size() - point - 1;
    const bool is_plain =
        std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.' || c == '-'; });
    const bool is_padded = text.size() > 1 && text[0] == '0' && point != 1;
    if (!is_plain || is_padded || count < 2 || (decimals && *decimals != count))
      return std::nullopt;
    decimals = count;
    const std::string_view fraction = text.substr(point + 1);
    is_amount = is_amount || fraction.back() != '0' || fraction.find_first_not_of('0') == text.npos;
  }
  if (!is_amount || *decimals > 15) return std::nullopt;
  return static_cast<int>(*decimals);
}

namespace {

// A text around its digits: "1.234,56 €" has nothing before them and " €" behind.
struct Amount {
  std::string_view before;
  std::string_view number;
  std::string_view behind;
};

std::optional<Amount> amount_of(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t begin = text.find_first_of(digits);
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = text.find_last_of(digits) + 1;
  Amount amount{text.substr(0, begin), text.substr(begin, end - begin), text.substr(end)};
  if (amount.before.starts_with('-')) amount.before.remove_prefix(1);
  if (amount.before.ends_with('-')) amount.before.remove_suffix(1);
  return amount;
}

// A sign or code of a currency, or of percent, with or without a space. Others may as well be words:
// `12 May`, `4th`, `v2`.
bool is_amount_sign(std::string_view text) {
  constexpr std::array<std::string_view, 36> signs{
      "$",   "€",   "£",   "¥",   "₹",   "₽", "₩",   "₺",   "₴",   "₪",   "₫",   "฿",
      "zł",  "kr",  "Kč",  "Ft",  "R$",  "CHF", "EUR", "USD", "GBP", "JPY", "CNY", "INR",
      "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "BRL", "MXN", "%",   "‰"};
  if (text.starts_with("\xC2\xA0")) text.remove_prefix(2);
  if (text.ends_with("\xC2\xA0")) text.remove_suffix(2);
  return std::ranges::find(signs, trimmed(text, " ")) != signs.end();
}

// What stands between the digits of a number, sign after sign, and how many digits are behind the
// last one.
struct Signs {
  std::string_view first;
  std::string_view last;
  std::size_t count = 0;
  std::size_t behind = 0;
};

Signs signs_of(std::string_view number) {
  Signs signs;
  take_digits(number);
  while (!number.empty()) {
    const std::size_t end = std::min(number.find_first_of("0123456789"), number.size());
    signs.last = number.substr(0, end);
    if (signs.count++ == 0) signs.first = signs.last;
    number.remove_prefix(end);
    signs.behind = take_digits(number).size();
  }
  return signs;
}

// One kind of sign for the whole column; false if another stood there before.
bool agree(std::string& sign, std::string_view seen) {
  if (sign.empty()) sign = seen;
  return sign == seen;
}

// Which sign begins the fraction and which stands between groups, as far as the numbers prove it.
// A lone sign before three digits proves nothing; two kinds, or any other count, do.
bool find_signs(const std::vector<Signs>& numbers, NumberFormat& format) {
  for (const Signs& number : numbers) {
    const bool is_mixed = number.count > 1 && number.first != number.last;
    const bool is_open = number.count == 1 && number.behind == 3;
    if (number.count == 0 || is_open) continue;
    const bool ends_in_fraction = number.count == 1 || is_mixed;
    if (ends_in_fraction && !agree(format.decimal, number.last)) return false;
    if ((is_mixed || !ends_in_fraction) && !agree(format.thousands, number.first)) return false;
  }
  for (const Signs& number : numbers) {
    if (number.count != 1 || number.behind != 3) continue;
    const bool may_be_group = !format.decimal.empty() && number.last != format.decimal;
    const bool is_group = number.last == format.thousands || may_be_group;
    if (!is_group || !agree(format.thousands, number.last)) return false;
  }
  return true;
}

}  // namespace

std::optional<AmountSpelling> find_amounts(const std::vector<std::string_view>& texts) {
  AmountSpelling found;
  std::vector<Signs> numbers;
  for (const std::string_view text : texts) {
    const auto amount = amount_of(text);
    if (!amount) return std::nullopt;
    if (numbers.empty()) {
      found.format.prefix = amount->before;
      found.format.suffix = amount->behind;
    }
    if (found.format.prefix != amount->before || found.format.suffix != amount->behind)
      return std::nullopt;
    numbers.push_back(signs_of(amount->number));
  }
  const auto& [decimal, thousands, prefix, suffix] = found.format;
  if (prefix.empty() == suffix.empty() || !is_amount_sign(prefix + suffix)) return std::nullopt;
  if (!find_signs(numbers, found.format)) return std::nullopt;
  if (decimal == ".") found.format.decimal.clear();
  if (problem_of_number_format(found.format)) return std::nullopt;
  const auto fits = [&](std::string_view text) {
    return to_plain_number(text, found.format).has_value();
  };
  if (!std::ranges::all_of(texts, fits)) return std::nullopt;

  const auto decimals_of = [&](const Signs& number) {
    const std::string_view sign = decimal.empty() ? "." : std::string_view(decimal);
    return number.count > 0 && number.last == sign ? number.behind : 0;
  };
  const std::size_t decimals = decimals_of(numbers.front());
  const bool is_everywhere = std::ranges::all_of(
      numbers, [&](const Signs& number) { return decimals_of(number) == decimals; });
  if (is_everywhere && decimals > 0) found.decimals = static_cast<int>(decimals);
  return found;
}

}  // namespace notesdb
