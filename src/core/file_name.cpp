#include "core/file_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/date.h"
#include "core/date_format.h"
#include "core/text.h"

namespace notesdb {

namespace {

constexpr std::array<std::string_view, 12> endings{".md",
                                                   ".markdown",
                                                   ".mdx",
                                                   ".qmd",
                                                   ".Rmd",
                                                   ".rmd",
                                                   ".mdown",
                                                   ".mkd",
                                                   ".mkdn",
                                                   ".mkdown",
                                                   ".yaml",
                                                   ".yml"};

constexpr std::string_view languages =
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw "
    "ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

// The date that a stem begins with, and what stands behind it.
struct DatedName {
  std::string date;  // ISO
  std::string_view rest;
};

std::optional<DatedName> dated_as(std::string year,
                                  std::string_view month,
                                  std::string_view day,
                                  std::string_view rest) {
  const auto two_digits = [](std::string_view number) {
    return (number.size() == 1 ? "0" : "") + std::string(number);
  };
  if (year.size() == 2) year = "20" + year;
  const std::string date = year + "-" + two_digits(month) + "-" + two_digits(day);
  if (!parse_moment(date)) return std::nullopt;
  return DatedName{date, rest};
}

// 2024-05-06, 2024_5_6, 24-05-06; 20240506, also with a time: 202405061530.
std::optional<DatedName> dated(std::string_view stem) {
  const std::size_t year = digits_at(stem);
  if (year == 8 || year == 12 || year == 14)
    return dated_as(
        std::string(stem.substr(0, 4)), stem.substr(4, 2), stem.substr(6, 2), stem.substr(year));
  if ((year != 2 && year != 4) || year == stem.size()) return std::nullopt;
  const char divider = stem[year];
  if (divider != '-' && divider != '_') return std::nullopt;
  const std::string_view behind_year = stem.substr(year + 1);
  const std::size_t month = digits_at(behind_year);
  if (month == 0 || month > 2 || month == behind_year.size() || behind_year[month] != divider)
    return std::nullopt;
  const std::string_view behind_month = behind_year.substr(month + 1);
  const std::size_t day = digits_at(behind_month);
  if (day == 0 || day > 2) return std::nullopt;
  return dated_as(std::string(stem.substr(0, year)),
                  behind_year.substr(0, month),
                  behind_month.substr(0, day),
                  behind_month.substr(day));
}

std::string_view without_separator(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("-_. "), text.size()));
}

// Digits and one of `-`, `_`, `.`, which neither a date nor a version is.
std::string_view order_in(std::string_view stem) {
  const std::size_t count = digits_at(stem);
  constexpr std::size_t max_digits = 9;
  if (count == 0 || count > max_digits || count + 1 >= stem.size()) return {};
  const bool is_set_off = std::string_view("-_.").find(stem[count]) != std::string_view::npos;
  return is_set_off && !is_digit(stem[count + 1]) ? stem.substr(0, count) : std::string_view();
}

// The first word where it is digits and dots, and a title stands behind it.
std::string_view number_word(std::string_view stem) {
  const std::size_t end = stem.find(' ');
  if (end == std::string_view::npos || end == 0 || !is_digit(stem.front())) return {};
  const std::string_view word = stem.substr(0, end);
  const bool fits = std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; });
  return fits ? word : std::string_view();
}

Value text_or_null(std::string_view text) {
  return text.empty() ? Value() : Value(std::string(text));
}

}  // namespace

std::span<const std::string_view> row_file_endings() {
  return endings;
}

std::string_view row_file_ending(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const auto* found = std::ranges::find(endings, path.substr(dot));
  return found == endings.end() ? std::string_view() : *found;
}

bool is_markdown_file(std::string_view path) {
  const std::string_view ending = row_file_ending(path);
  return !ending.empty() && ending != ".yaml" && ending != ".yml";
}

std::string_view language_in(std::string_view stem) {
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const std::string_view language = stem.substr(dot + 1);
  const std::size_t dash = language.find('-');
  const std::string_view code = language.substr(0, dash);
  const std::string wanted = " " + fold_case(code) + " ";
  if (code.size() != 2 || languages.find(wanted) == std::string_view::npos) return {};
  if (dash == std::string_view::npos) return language;
  const std::string_view region = language.substr(dash + 1);
  const bool is_region = region.size() >= 2 && region.size() <= 4 &&
                         std::ranges::all_of(region, [](char c) { return is_letter(c); });
  return is_region ? language : std::string_view();
}

Value name_field(std::string_view field, std::string_view row_id, std::string_view format) {
  std::string_view stem = row_id.substr(row_id.rfind('/') + 1);  // npos + 1 is the beginning
  if (field == "parent") {
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {};
    return text_or_null(row_id.substr(0, row_id.size() - (stem.size() - dot)));
  }
  const std::string_view language = language_in(stem);
  if (field == "lang") return text_or_null(language);
  if (!language.empty()) stem.remove_suffix(language.size() + 1);
  if (field == "date" && !format.empty())
    if (const auto moment = parse_date(row_id, format)) return period_of(*moment, DatePart::day);
  const std::string_view id = number_word(stem);
  if (field == "id") return text_or_null(id);
  if (field == "title")
    return text_or_null(id.empty() ? std::string_view() : stem.substr(id.size() + 1));
  const auto date = dated(stem);
  if (field == "date") return date ? Value(date->date) : Value();
  const std::string_view order = date ? std::string_view() : order_in(stem);
  if (field == "order") {
    std::int64_t number = 0;
    std::from_chars(order.data(), order.data() + order.size(), number);
    return order.empty() ? Value() : Value(number);
  }
  if (date) return text_or_null(without_separator(date->rest));
  return text_or_null(without_separator(stem.substr(order.size())));
}

}  // namespace notesdb
