#include "infer/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/date.h"
#include "core/date_format.h"
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

}  // namespace notesdb
