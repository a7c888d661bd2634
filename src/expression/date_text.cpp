#include "expression/date_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/date_format.h"
#include "expression/failure.h"

namespace notesdb::expression {

namespace {

// All tokens; of those that begin alike the longest that fits is meant, as in Moment's own pattern.
constexpr std::array<std::string_view, 71> tokens{
    "Hmmss",  "hmmss", "Hmm",   "hmm",  "Mo",   "MMMM", "MMM",   "MM",   "M",   "Do", "DDDo",
    "DDDD",   "DDD",   "DD",    "D",    "dddd", "ddd",  "dd",    "do",   "d",   "wo", "ww",
    "w",      "Wo",    "WW",    "W",    "Qo",   "Q",    "NNNNN", "NNNN", "NNN", "NN", "N",
    "YYYYYY", "YYYYY", "YYYY",  "YY",   "Y",    "yyyy", "yyy",   "yy",   "yo",  "y",  "ggggg",
    "gggg",   "gg",    "GGGGG", "GGGG", "GG",   "e",    "E",     "a",    "A",   "hh", "h",
    "HH",     "H",     "kk",    "k",    "mm",   "m",    "ss",    "s",    "x",   "X",  "zz",
    "z",      "ZZ",    "Z",     "LTS",  "LT"};

std::string padded(std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(std::abs(number));
  const std::string zeros(digits > text.size() ? digits - text.size() : 0, '0');
  return (number < 0 ? "-" : "") + zeros + text;
}

std::string ordinal(int number) {
  std::string_view ending = "th";
  const int last = number % 10;
  if (number % 100 / 10 != 1 && last >= 1 && last <= 3)
    ending = last == 1 ? "st" : last == 2 ? "nd" : "rd";
  return std::to_string(number) + std::string(ending);
}

bool is_leap(int year) {
  return days_in_month(year, 2) == 29;
}

int weekday_of_new_year(int year) {
  return clock_of(instant_of({.year = year}, utc_time_zone()), utc_time_zone()).weekday;
}

// A week of a calendar whose weeks begin on `first_day` and whose first week holds the day
// `anchor` of January.
struct Week {
  int year = 0;
  int number = 0;
};

struct WeekRule {
  int first_day;
  int anchor;
};

constexpr WeekRule english{0, 1};
constexpr WeekRule iso{1, 4};

// The day of the year, from 0, on which its first week begins; may lie in the year before.
int first_week_begin(int year, WeekRule rule) {
  const int anchor_weekday = (weekday_of_new_year(year) + rule.anchor - 1) % 7;
  return rule.anchor - 1 - (anchor_weekday - rule.first_day + 7) % 7;
}

int days_in(int year) {
  return is_leap(year) ? 366 : 365;
}

Week week_of(const Clock& clock, WeekRule rule) {
  const int day = clock.day_of_year - 1;
  if (day < first_week_begin(clock.year, rule)) {
    const int before = day + days_in(clock.year - 1) - first_week_begin(clock.year - 1, rule);
    return {clock.year - 1, before / 7 + 1};
  }
  if (day >= days_in(clock.year) + first_week_begin(clock.year + 1, rule))
    return {clock.year + 1, 1};
  return {clock.year, (day - first_week_begin(clock.year, rule)) / 7 + 1};
}

std::string offset_text(std::int64_t offset, std::string_view colon) {
  const std::int64_t minutes = std::abs(offset) / 60'000;
  return std::string(offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + std::string(colon) +
         padded(minutes % 60, 2);
}

class Formatter {
 public:
  Formatter(Date date, const TimeZone& zone)
      : date_(date), zone_(zone), clock_(clock_of(date.milliseconds, zone)) {}

  std::string write(std::string_view format) {
    std::string text;
    while (!format.empty())
      text += write_next(format);
    return text;
  }

 private:
  std::string write_next(std::string_view& format) {
    if (format[0] == '[') {
      const std::size_t close = format.find_first_of("[]", 1);
      if (close != std::string_view::npos && format[close] == ']') {
        std::string literal(format.substr(1, close - 1));
        format.remove_prefix(close + 1);
        return literal;
      }
    }
    // A backslash is dropped, and what follows it stands as it is.
    const bool is_escaped = format[0] == '\\' && format.size() > 1;
    if (is_escaped) format.remove_prefix(1);
    const std::string_view token = token_at(format);
    format.remove_prefix(token.size());
    if (is_escaped) return std::string(token);
    return token.size() == 1 && !is_token(token) ? std::string(token) : value_of(token);
  }

  static bool is_token(std::string_view token) {
    return std::ranges::find(tokens, token) != tokens.end() || token[0] == 'S' || token[0] == 'L' ||
           token[0] == 'l';
  }

  static std::size_t run_of(std::string_view text, std::size_t max) {
    std::size_t length = 1;
    while (length < max && length < text.size() && text[length] == text[0])
      ++length;
    return length;
  }

  static std::string_view token_at(std::string_view format) {
    std::string_view best;
    for (const std::string_view token : tokens)
      if (format.starts_with(token) && token.size() > best.size()) best = token;
    if (best.empty() && format[0] == 'S') best = format.substr(0, run_of(format, 9));
    if (best.empty() && (format[0] == 'L' || format[0] == 'l'))
      best = format.substr(0, run_of(format, 4));
    return best.empty() ? format.substr(0, 1) : best;
  }

  std::string value_of(std::string_view token) {
    switch (token[0]) {
      case 'M':
      case 'D':
      case 'd':
      case 'Q':
      case 'e':
      case 'E': return day_value(token);
      case 'Y':
      case 'y':
      case 'N':
      case 'g':
      case 'G':
      case 'w':
      case 'W': return year_value(token);
      case 'L':
      case 'l': return preset_value(token);
      default: return time_value(token);
    }
  }

  std::string day_value(std::string_view token) const {
    const DateNames& names = english_date_names();
    const auto weekday = static_cast<std::size_t>(clock_.weekday);
    const auto month = static_cast<std::size_t>(clock_.month - 1);
    if (token == "M") return std::to_string(clock_.month);
    if (token == "Mo") return ordinal(clock_.month);
    if (token == "MM") return padded(clock_.month, 2);
    if (token == "MMM") return std::string(names.short_months[month]);
    if (token == "MMMM") return std::string(names.months[month]);
    if (token == "Q") return std::to_string((clock_.month + 2) / 3);
    if (token == "Qo") return ordinal((clock_.month + 2) / 3);
    if (token == "D") return std::to_string(clock_.day);
    if (token == "Do") return ordinal(clock_.day);
    if (token == "DD") return padded(clock_.day, 2);
    if (token == "DDD") return std::to_string(clock_.day_of_year);
    if (token == "DDDo") return ordinal(clock_.day_of_year);
    if (token == "DDDD") return padded(clock_.day_of_year, 3);
    if (token == "do") return ordinal(clock_.weekday);
    if (token == "dd") return std::string(names.short_weekdays[weekday].substr(0, 2));
    if (token == "ddd") return std::string(names.short_weekdays[weekday]);
    if (token == "dddd") return std::string(names.weekdays[weekday]);
    if (token == "E") return std::to_string((clock_.weekday + 6) % 7 + 1);
    return std::to_string(clock_.weekday);  // d, e
  }

  std::string year_value(std::string_view token) const {
    if (token[0] == 'N') return token.size() == 4 ? "Anno Domini" : "AD";
    if (token == "yo") return ordinal(clock_.year);
    if (token[0] == 'y') return padded(clock_.year, token.size());
    if (token[0] == 'Y') {
      if (token == "YY") return padded(clock_.year % 100, 2);
      if (token == "YYYYYY") return "+" + padded(clock_.year, 6);
      return padded(clock_.year, token.size() == 5 ? 5 : 4);
    }
    const bool is_english = token[0] == 'w' || token[0] == 'g';
    const Week week = week_of(clock_, is_english ? english : iso);
    if (token[0] == 'g' || token[0] == 'G')
      return token.size() == 2 ? padded(week.year % 100, 2) : padded(week.year, token.size());
    if (token.ends_with('o')) return ordinal(week.number);
    return padded(week.number, token.size());
  }

  std::string time_value(std::string_view token) const {
    const int half = clock_.hour % 12 == 0 ? 12 : clock_.hour % 12;
    const std::string rest = padded(clock_.minute, 2);
    const std::string both = rest + padded(clock_.second, 2);
    if (token == "hmm") return std::to_string(half) + rest;
    if (token == "hmmss") return std::to_string(half) + both;
    if (token == "Hmm") return std::to_string(clock_.hour) + rest;
    if (token == "Hmmss") return std::to_string(clock_.hour) + both;
    switch (token[0]) {
      case 'H': return padded(clock_.hour, token.size());
      case 'h': return padded(half, token.size());
      case 'k': return padded(clock_.hour == 0 ? 24 : clock_.hour, token.size());
      case 'm': return padded(clock_.minute, token.size());
      case 's': return padded(clock_.second, token.size());
      case 'a': return clock_.hour < 12 ? "am" : "pm";
      case 'A': return clock_.hour < 12 ? "AM" : "PM";
      case 'S': return (padded(clock_.millisecond, 3) + "000000").substr(0, token.size());
      case 'x': return std::to_string(date_.milliseconds);
      case 'X': return std::to_string(seconds());
      case 'Z': return offset_text(clock_.offset, token == "Z" ? ":" : "");
      default: return "";  // z: the name of a zone, which a local date has not
    }
  }

  std::int64_t seconds() const {
    return date_.milliseconds / 1'000 - (date_.milliseconds % 1'000 < 0 ? 1 : 0);
  }

  std::string preset_value(std::string_view token) {
    if (token == "LT") return write("h:mm A");
    if (token == "LTS") return write("h:mm:ss A");
    if (token == "L") return write("MM/DD/YYYY");
    if (token == "l") return write("M/D/YYYY");
    if (token == "LL") return write("MMMM D, YYYY");
    if (token == "ll") return write("MMM D, YYYY");
    if (token == "LLL") return write("MMMM D, YYYY h:mm A");
    if (token == "lll") return write("MMM D, YYYY h:mm A");
    if (token == "LLLL") return write("dddd, MMMM D, YYYY h:mm A");
    return write("ddd, MMM D, YYYY h:mm A");
  }

  Date date_;
  const TimeZone& zone_;
  Clock clock_;
};

// How long one date is before another: whole months on the clock, and the rest.
Duration between(Date from, Date to, const TimeZone& zone) {
  if (to.milliseconds < from.milliseconds) {
    Duration back = between(to, from, zone);
    return {-back.months, 0, -back.milliseconds};
  }
  const Clock begin = clock_of(from.milliseconds, zone);
  const Clock end = clock_of(to.milliseconds, zone);
  int whole_months = end.month - begin.month + (end.year - begin.year) * 12;
  const auto months_later = [&](int count) {
    const auto later = added(from, {.months = static_cast<double>(count)}, 1, zone);
    return later ? later->milliseconds : to.milliseconds;
  };
  if (months_later(whole_months) > to.milliseconds) --whole_months;
  return {static_cast<double>(whole_months),
          0,
          static_cast<double>(to.milliseconds - months_later(whole_months))};
}

std::string counted(std::string_view one, std::string_view many, double count) {
  return count <= 1 ? std::string(one) : number_text(count) + " " + std::string(many);
}

}  // namespace

std::string formatted(Date date, std::string_view format, const TimeZone& zone) {
  return Formatter(date, zone).write(format);
}

std::string iso_text(Date date, const TimeZone& zone) {
  const Clock clock = clock_of(date.milliseconds, zone);
  std::string text =
      padded(clock.year, 4) + "-" + padded(clock.month, 2) + "-" + padded(clock.day, 2);
  if (!date.has_time) return text;
  return text + "T" + padded(clock.hour, 2) + ":" + padded(clock.minute, 2) + ":" +
         padded(clock.second, 2);
}

std::string words_of(const Duration& given) {
  const bool is_back = milliseconds_of(given) < 0;
  const double sign = is_back ? -1 : 1;
  const Duration length{sign * given.months, sign * given.days, sign * given.milliseconds};
  const double exact = milliseconds_of(length);
  const double as_days = exact / 86'400'000;
  const double as_months =
      length.months + (length.days + length.milliseconds / 86'400'000) * 4'800 / 146'097;
  if (std::round(exact / 1'000) <= 44) return "a few seconds";
  if (std::round(exact / 60'000) < 45)
    return counted("a minute", "minutes", std::round(exact / 60'000));
  if (std::round(exact / 3'600'000) < 22)
    return counted("an hour", "hours", std::round(exact / 3'600'000));
  if (std::round(as_days) < 26) return counted("a day", "days", std::round(as_days));
  if (std::round(as_months) < 11) return counted("a month", "months", std::round(as_months));
  return counted("a year", "years", std::round(as_months / 12));
}

std::string relative_text(Date date, Date now, const TimeZone& zone) {
  const std::string words = words_of(between(now, date, zone));
  return date.milliseconds > now.milliseconds ? "in " + words : words + " ago";
}

}  // namespace notesdb::expression
