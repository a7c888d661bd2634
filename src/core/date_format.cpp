#include "core/date_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace notesdb {

namespace {

// Date tokens: a date format (core/date_format.h) taken apart, part by part.

enum class DatePiece {
  literal,
  year,
  short_year,
  week_year,
  week,
  quarter,
  month,
  month_name,
  short_month_name,
  day,
  ordinal_day,
  weekday_name,
  short_weekday_name,
  hour,
  half_day_hour,
  half_day,
  minute,
  second,
  millisecond,
  zone,
  epoch_seconds,
  epoch_milliseconds,
};

struct FormatPiece {
  DatePiece part = DatePiece::literal;
  int digits = 1;    // that are written at least
  std::string text;  // of a literal
};

// The pieces, or what is wrong with the format.
struct FormatPieces {
  std::vector<FormatPiece> list;
  std::string problem;
};

// What a format may hold, as a message names it.
constexpr std::string_view tokens_told =
    "tokens: YYYY MM DD, M D, MMMM, HH mm ss, gggg and ww, x (epoch in milliseconds), [text]; or "
    "strftime's, as in %d.%m.%Y";

struct Token {
  std::string_view spelled;
  DatePiece part;
  int digits;
};

// The longest that fits counts, so longer ones come first.
constexpr std::array moment_tokens{
    Token{"YYYY", DatePiece::year, 4},
    Token{"yyyy", DatePiece::year, 4},
    Token{"GGGG", DatePiece::week_year, 4},
    Token{"gggg", DatePiece::week_year, 4},
    Token{"MMMM", DatePiece::month_name, 0},
    Token{"dddd", DatePiece::weekday_name, 0},
    Token{"MMM", DatePiece::short_month_name, 0},
    Token{"ddd", DatePiece::short_weekday_name, 0},
    Token{"SSS", DatePiece::millisecond, 3},
    Token{"YY", DatePiece::short_year, 2},
    Token{"WW", DatePiece::week, 2},
    Token{"ww", DatePiece::week, 2},
    Token{"MM", DatePiece::month, 2},
    Token{"DD", DatePiece::day, 2},
    Token{"dd", DatePiece::day, 2},
    Token{"Do", DatePiece::ordinal_day, 1},
    Token{"HH", DatePiece::hour, 2},
    Token{"hh", DatePiece::half_day_hour, 2},
    Token{"mm", DatePiece::minute, 2},
    Token{"ss", DatePiece::second, 2},
    Token{"ZZ", DatePiece::zone, 0},
    Token{"W", DatePiece::week, 1},
    Token{"w", DatePiece::week, 1},
    Token{"Q", DatePiece::quarter, 1},
    Token{"M", DatePiece::month, 1},
    Token{"D", DatePiece::day, 1},
    Token{"H", DatePiece::hour, 1},
    Token{"h", DatePiece::half_day_hour, 1},
    Token{"A", DatePiece::half_day, 1},
    Token{"a", DatePiece::half_day, 0},
    Token{"m", DatePiece::minute, 1},
    Token{"s", DatePiece::second, 1},
    Token{"Z", DatePiece::zone, 1},
    Token{"X", DatePiece::epoch_seconds, 1},
    Token{"x", DatePiece::epoch_milliseconds, 1},
};

constexpr std::array strftime_tokens{
    Token{"-d", DatePiece::day, 1},
    Token{"-m", DatePiece::month, 1},
    Token{"-H", DatePiece::hour, 1},
    Token{"-I", DatePiece::half_day_hour, 1},
    Token{"Y", DatePiece::year, 4},
    Token{"y", DatePiece::short_year, 2},
    Token{"m", DatePiece::month, 2},
    Token{"d", DatePiece::day, 2},
    Token{"e", DatePiece::day, 1},
    Token{"B", DatePiece::month_name, 0},
    Token{"b", DatePiece::short_month_name, 0},
    Token{"A", DatePiece::weekday_name, 0},
    Token{"a", DatePiece::short_weekday_name, 0},
    Token{"H", DatePiece::hour, 2},
    Token{"I", DatePiece::half_day_hour, 2},
    Token{"p", DatePiece::half_day, 1},
    Token{"M", DatePiece::minute, 2},
    Token{"S", DatePiece::second, 2},
    Token{"z", DatePiece::zone, 0},
    Token{"s", DatePiece::epoch_seconds, 1},
    Token{"G", DatePiece::week_year, 4},
    Token{"V", DatePiece::week, 2},
};

void add_literal(std::vector<FormatPiece>& pieces, std::string_view text) {
  if (pieces.empty() || pieces.back().part != DatePiece::literal) pieces.emplace_back();
  pieces.back().text += text;
}

template <typename Tokens>
const Token* token_at(const Tokens& tokens, std::string_view text) {
  const auto found = std::ranges::find_if(
      tokens, [&](const Token& token) { return text.starts_with(token.spelled); });
  return found == tokens.end() ? nullptr : &*found;
}

FormatPieces split_strftime(std::string_view format) {
  FormatPieces pieces;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      add_literal(pieces.list, format.substr(at++, 1));
      continue;
    }
    const std::string_view rest = format.substr(at + 1);
    if (rest.starts_with('%')) {
      add_literal(pieces.list, "%");
      at += 2;
      continue;
    }
    const Token* token = token_at(strftime_tokens, rest);
    if (token == nullptr) {
      pieces.problem =
          "unknown token '%" + std::string(rest.substr(0, 1)) + "'; " + std::string(tokens_told);
      return pieces;
    }
    pieces.list.push_back({token->part, token->digits, ""});
    at += 1 + token->spelled.size();
  }
  return pieces;
}

// strftime's tokens where there is a `%`, else Moment's.
FormatPieces split_format(std::string_view format) {
  if (format.find('%') != format.npos) return split_strftime(format);
  FormatPieces pieces;
  for (std::size_t at = 0; at < format.size();) {
    const std::string_view rest = format.substr(at);
    if (rest.front() == '[') {
      const std::size_t close = rest.find(']');
      if (close == rest.npos) {
        pieces.problem = "a '[' is never closed";
        return pieces;
      }
      add_literal(pieces.list, rest.substr(1, close - 1));
      at += close + 1;
    } else if (const Token* token = token_at(moment_tokens, rest)) {
      pieces.list.push_back({token->part, token->digits, ""});
      at += token->spelled.size();
    } else if (is_letter(rest.front()) && rest.front() != 'T') {
      pieces.problem =
          "unknown token '" + std::string(1, rest.front()) + "'; " + std::string(tokens_told);
      return pieces;
    } else {
      add_literal(pieces.list, rest.substr(0, 1));
      ++at;
    }
  }
  return pieces;
}

namespace chrono = std::chrono;

bool has(const std::vector<FormatPiece>& pieces, std::initializer_list<DatePiece> parts) {
  return std::ranges::any_of(pieces, [&](const FormatPiece& piece) {
    return std::ranges::find(parts, piece.part) != parts.end();
  });
}

// What a text says, part by part.
struct Parts {
  int year = 1970;
  int month = 1;
  int day = 1;
  int week = 0;  // 0: the date is told by month and day
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
  bool has_time = false;
  std::optional<bool> afternoon;
  std::string zone;
  std::optional<Timestamp> epoch;
};

// Reads a text piece by piece.
class Taker {
 public:
  Taker(std::string_view text, const std::vector<FormatPiece>& pieces, const DateNames& names)
      : rest_(text), pieces_(pieces), names_(names) {}

  bool take(Parts& parts) {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!take_piece(i, parts)) return false;
    return rest_.empty();
  }

 private:
  bool take_piece(std::size_t i, Parts& parts) {
    const FormatPiece& piece = pieces_[i];
    const bool is_tight = i + 1 < pieces_.size() && pieces_[i + 1].part != DatePiece::literal;
    const int least = is_tight ? piece.digits : 1;
    switch (piece.part) {
      case DatePiece::literal: return take_text(piece.text);
      case DatePiece::year:
      case DatePiece::week_year: return take_number(4, 4, parts.year);
      case DatePiece::short_year:
        if (!take_number(2, 2, parts.year)) return false;
        parts.year += parts.year < 69 ? 2000 : 1900;
        return true;
      case DatePiece::week: return take_number(least, 2, parts.week) && parts.week > 0;
      case DatePiece::quarter:
        if (!take_number(1, 1, parts.month) || parts.month > 4) return false;
        parts.month = parts.month * 3 - 2;
        return parts.month > 0;
      case DatePiece::month: return take_number(least, 2, parts.month);
      case DatePiece::month_name: return take_name(names_.months, &parts.month);
      case DatePiece::short_month_name: return take_name(names_.short_months, &parts.month);
      case DatePiece::weekday_name: return take_name(names_.weekdays, nullptr);
      case DatePiece::short_weekday_name: return take_name(names_.short_weekdays, nullptr);
      case DatePiece::day: return take_number(least, 2, parts.day);
      case DatePiece::ordinal_day: return take_number(1, 2, parts.day) && take_ordinal();
      default: return take_time(piece, least, parts);
    }
  }

  bool take_time(const FormatPiece& piece, int least, Parts& parts) {
    parts.has_time = true;
    switch (piece.part) {
      case DatePiece::hour: return take_number(least, 2, parts.hour);
      case DatePiece::half_day_hour:
        return take_number(least, 2, parts.hour) && parts.hour >= 1 && parts.hour <= 12;
      case DatePiece::half_day: return take_half(parts);
      case DatePiece::minute: return take_number(least, 2, parts.minute);
      case DatePiece::second: return take_number(least, 2, parts.second);
      case DatePiece::millisecond: return take_number(3, 3, parts.millisecond);
      case DatePiece::zone: return take_zone(parts.zone);
      case DatePiece::epoch_seconds: return take_epoch(1'000'000, parts);
      case DatePiece::epoch_milliseconds: return take_epoch(1'000, parts);
      default: return false;
    }
  }

  bool take_text(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool take_number(int least, int most, int& number) {
    std::size_t count = 0;
    while (count < rest_.size() && count < static_cast<std::size_t>(most) && rest_[count] >= '0' &&
           rest_[count] <= '9')
      ++count;
    if (count < static_cast<std::size_t>(least)) return false;
    std::from_chars(rest_.data(), rest_.data() + count, number);
    rest_.remove_prefix(count);
    return true;
  }

  // The longest that stands here: Pazar is not Pazartesi.
  template <std::size_t N>
  bool take_name(const std::array<std::string_view, N>& names, int* number) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t size = names[i].size();
      if (size <= longest || fold_case(rest_.substr(0, size)) != fold_case(names[i])) continue;
      longest = size;
      if (number != nullptr) *number = static_cast<int>(i) + 1;
    }
    rest_.remove_prefix(longest);
    return longest != 0;
  }

  bool take_ordinal() {
    for (const std::string_view end : {"st", "nd", "rd", "th"})
      if (take_text(end)) return true;
    return false;
  }

  bool take_half(Parts& parts) {
    const std::string half = fold_case(rest_.substr(0, 2));
    if (half != "am" && half != "pm") return false;
    parts.afternoon = half == "pm";
    rest_.remove_prefix(2);
    return true;
  }

  bool take_zone(std::string& zone) {
    std::size_t size = rest_.starts_with('Z') ? 1 : 0;
    if (size == 0 && (rest_.starts_with('+') || rest_.starts_with('-')))
      size = std::min(rest_.find_first_not_of("0123456789:", 1), rest_.size());
    zone = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return size > 0;
  }

  bool take_epoch(std::int64_t unit, Parts& parts) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    constexpr std::int64_t last = 253'402'300'799'000'000;  // of the year 9999, in microseconds
    if (error != std::errc() || number > last / unit || number < -last / unit) return false;
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    parts.epoch = Timestamp{number * unit, true, true};
    return true;
  }

  std::string_view rest_;
  const std::vector<FormatPiece>& pieces_;
  const DateNames& names_;
};

// Monday of an ISO week.
std::optional<chrono::year_month_day> day_of_week(int year, int week) {
  const chrono::sys_days fourth = chrono::year(year) / chrono::January / 4;
  const chrono::sys_days first = fourth - (chrono::weekday(fourth) - chrono::Monday);
  const chrono::sys_days monday = first + chrono::days(7 * (week - 1));
  const chrono::year_month_day thursday = monday + chrono::days(3);
  if (thursday.year() != chrono::year(year)) return std::nullopt;
  return chrono::year_month_day(monday);
}

std::optional<Timestamp> to_moment(Parts parts) {
  if (parts.epoch) return parts.epoch;
  if (parts.week > 0) {
    const auto monday = day_of_week(parts.year, parts.week);
    if (!monday) return std::nullopt;
    parts.year = static_cast<int>(monday->year());
    parts.month = static_cast<int>(static_cast<unsigned>(monday->month()));
    parts.day = static_cast<int>(static_cast<unsigned>(monday->day()));
  }
  if (parts.afternoon) parts.hour = parts.hour % 12 + (*parts.afternoon ? 12 : 0);
  char iso[80];
  std::snprintf(iso, sizeof iso, "%04d-%02d-%02d", parts.year, parts.month, parts.day);
  std::string text = iso;
  if (parts.has_time) {
    std::snprintf(iso, sizeof iso, "T%02d:%02d:%02d", parts.hour, parts.minute, parts.second);
    text += iso;
    std::snprintf(iso, sizeof iso, ".%03d", parts.millisecond);
    if (parts.millisecond > 0) text += iso;
    text += parts.zone;
  }
  return parse_moment(text);
}

std::string padded(std::int64_t number, int digits) {
  std::string text = std::to_string(number);
  const auto size = static_cast<std::size_t>(digits);
  return text.size() >= size ? text : std::string(size - text.size(), '0') + text;
}

std::string_view ordinal_end(int day) {
  if (day / 10 == 1) return "th";
  switch (day % 10) {
    case 1: return "st";
    case 2: return "nd";
    case 3: return "rd";
    default: return "th";
  }
}

// A moment taken apart for writing.
struct Written {
  explicit Written(Timestamp moment) : microseconds(moment.microseconds) {
    const chrono::sys_time<chrono::microseconds> point{chrono::microseconds(microseconds)};
    midnight = chrono::floor<chrono::days>(point);
    date = midnight;
    time = (point - midnight).count() / 1000;
    const chrono::sys_days thursday =
        midnight - (chrono::weekday(midnight) - chrono::Monday) + chrono::days(3);
    const chrono::year_month_day in_week = thursday;
    week_year = static_cast<int>(in_week.year());
    week = static_cast<int>((thursday - chrono::sys_days(in_week.year() / 1 / 1)).count() / 7) + 1;
  }
  std::int64_t microseconds;
  chrono::sys_days midnight;
  chrono::year_month_day date;
  std::int64_t time = 0;  // of the day, in milliseconds
  int week_year = 0;
  int week = 0;
};

std::string write_time(const Written& at, const FormatPiece& piece) {
  const std::int64_t hour = at.time / 3'600'000;
  switch (piece.part) {
    case DatePiece::hour: return padded(hour, piece.digits);
    case DatePiece::half_day_hour: return padded(hour % 12 == 0 ? 12 : hour % 12, piece.digits);
    case DatePiece::half_day:
      if (piece.digits == 0) return hour < 12 ? "am" : "pm";
      return hour < 12 ? "AM" : "PM";
    case DatePiece::minute: return padded(at.time / 60'000 % 60, piece.digits);
    case DatePiece::second: return padded(at.time / 1'000 % 60, piece.digits);
    case DatePiece::millisecond: return padded(at.time % 1'000, 3);
    case DatePiece::zone: return piece.digits == 0 ? "+0000" : "+00:00";
    case DatePiece::epoch_seconds: return std::to_string(at.microseconds / 1'000'000);
    case DatePiece::epoch_milliseconds: return std::to_string(at.microseconds / 1'000);
    default: return piece.text;
  }
}

std::string write_piece(const Written& at, const FormatPiece& piece, const DateNames& names) {
  const int year = static_cast<int>(at.date.year());
  const auto month = static_cast<unsigned>(at.date.month());
  const auto day = static_cast<int>(static_cast<unsigned>(at.date.day()));
  const unsigned weekday = chrono::weekday(at.midnight).c_encoding();
  switch (piece.part) {
    case DatePiece::year: return padded(year, 4);
    case DatePiece::short_year: return padded(year % 100, 2);
    case DatePiece::week_year: return padded(at.week_year, 4);
    case DatePiece::week: return padded(at.week, piece.digits);
    case DatePiece::quarter: return std::to_string((month + 2) / 3);
    case DatePiece::month: return padded(month, piece.digits);
    case DatePiece::month_name: return std::string(names.months[month - 1]);
    case DatePiece::short_month_name: return std::string(names.short_months[month - 1]);
    case DatePiece::weekday_name: return std::string(names.weekdays[weekday]);
    case DatePiece::short_weekday_name: return std::string(names.short_weekdays[weekday]);
    case DatePiece::day: return padded(day, piece.digits);
    case DatePiece::ordinal_day: return std::to_string(day) + std::string(ordinal_end(day));
    default: return write_time(at, piece);
  }
}

const DateNames& names_of(const Column& column) {
  const DateNames* const names = find_date_names(column.locale);
  return names == nullptr ? english_date_names() : *names;
}

std::optional<Timestamp> parse_by_formats(const Column& column, std::string_view text) {
  for (const std::string& format : column.formats)
    if (auto moment = parse_date(text, format, names_of(column))) return moment;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_of_date_format(std::string_view format) {
  if (format.find("2006") != format.npos)
    return "a layout of Go is not a format; " + std::string(tokens_told);
  const FormatPieces pieces = split_format(format);
  if (!pieces.problem.empty()) return pieces.problem;
  const auto& list = pieces.list;
  const auto minute = std::ranges::find(list, DatePiece::minute, &FormatPiece::part);
  const bool has_hour = std::any_of(list.begin(), minute, [](const FormatPiece& piece) {
    return piece.part == DatePiece::hour || piece.part == DatePiece::half_day_hour;
  });
  if (minute != list.end() && !has_hour)
    return "mm means minutes, and no hour stands before it; write MM for the month";
  if (has(list, {DatePiece::half_day_hour}) != has(list, {DatePiece::half_day}))
    return "hh and A (am or pm) go together; write HH for 24 hours";
  if (has(list, {DatePiece::epoch_seconds, DatePiece::epoch_milliseconds})) return std::nullopt;
  if (!has(list, {DatePiece::year, DatePiece::short_year, DatePiece::week_year}))
    return "a format has a year, YYYY; " + std::string(tokens_told);
  if (has(list, {DatePiece::week_year}) != has(list, {DatePiece::week}))
    return "a week's year and its number go together: gggg-[W]ww";
  return std::nullopt;
}

std::optional<Timestamp> parse_date(std::string_view text,
                                    std::string_view format,
                                    const DateNames& names) {
  const FormatPieces pieces = split_format(format);
  Parts parts;
  if (!pieces.problem.empty() || !Taker(text, pieces.list, names).take(parts)) return std::nullopt;
  return to_moment(std::move(parts));
}

std::optional<std::string> write_date(Timestamp moment,
                                      std::string_view format,
                                      const DateNames& names) {
  const FormatPieces pieces = split_format(format);
  if (!pieces.problem.empty()) return std::nullopt;
  const Written at(moment);
  std::string text;
  for (const FormatPiece& piece : pieces.list)
    text += write_piece(at, piece, names);
  return text;
}

std::optional<std::string> write_date(Timestamp moment, const Column& column) {
  if (column.formats.empty()) return std::nullopt;
  return write_date(moment, column.formats.front(), names_of(column));
}

std::optional<Timestamp> parse_written_date(const Column& column, std::string_view text) {
  if (auto moment = parse_by_formats(column, text)) return moment;
  return parse_moment(text);
}

std::optional<Timestamp> parse_given_date(const Column& column, std::string_view text) {
  if (auto moment = parse_moment(text)) return moment;
  return parse_by_formats(column, text);
}

}  // namespace notesdb
