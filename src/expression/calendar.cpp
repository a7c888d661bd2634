#include "expression/calendar.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "core/date.h"

namespace notesdb::expression {

namespace {

constexpr std::int64_t per_second = 1'000;
constexpr std::int64_t per_minute = 60 * per_second;
constexpr std::int64_t per_hour = 60 * per_minute;
constexpr std::int64_t per_day = 24 * per_hour;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::int64_t day_number(std::int64_t year, int month, int day) {
  const std::int64_t all = year * 12 + month - 1;
  const std::int64_t years = floor_div(all, 12);
  const std::chrono::year_month_day first{
      std::chrono::year(static_cast<int>(years)),
      std::chrono::month(static_cast<unsigned>(all - years * 12) + 1),
      std::chrono::day(1)};
  return std::chrono::sys_days(first).time_since_epoch().count() + day - 1;
}

class SystemZone : public TimeZone {
 public:
  SystemZone() { tzset(); }
  std::int64_t offset_at(std::int64_t milliseconds) const override {
    const auto seconds = static_cast<std::time_t>(floor_div(milliseconds, per_second));
    // Clocks change at full quarters of an hour: within one the last answer holds.
    constexpr std::time_t quarter = 900;
    thread_local std::time_t known_quarter = -1;
    thread_local std::int64_t known_offset = 0;
    const std::time_t asked = static_cast<std::time_t>(floor_div(seconds, quarter));
    if (asked == known_quarter) return known_offset;
    std::tm local{};
    localtime_r(&seconds, &local);
    known_quarter = asked;
    known_offset = local.tm_gmtoff * per_second;
    return known_offset;
  }
};

class UtcZone : public TimeZone {
 public:
  std::int64_t offset_at(std::int64_t /*milliseconds*/) const override { return 0; }
};

std::int64_t instant_of_local(std::int64_t local, const TimeZone& zone) {
  const std::int64_t before = zone.offset_at(local - per_day);
  if (zone.offset_at(local - before) == before) return local - before;
  const std::int64_t after = zone.offset_at(local + per_day);
  return zone.offset_at(local - after) == after ? local - after : local - before;
}

// Moment drops the fraction of a day and of a month, away from zero where it is a half.
int whole(double number) {
  return static_cast<int>(number < 0 ? -std::round(-number) : std::round(number));
}

struct Unit {
  std::array<std::string_view, 3> names;
  double months;
  double days;
  double milliseconds;
};

constexpr std::array units{
    Unit{{"y", "year", "years"}, 12, 0, 0},
    Unit{{"M", "month", "months"}, 1, 0, 0},
    Unit{{"w", "week", "weeks"}, 0, 7, 0},
    Unit{{"d", "day", "days"}, 0, 1, 0},
    Unit{{"h", "hour", "hours"}, 0, 0, per_hour},
    Unit{{"m", "minute", "minutes"}, 0, 0, per_minute},
    Unit{{"s", "second", "seconds"}, 0, 0, per_second},
    Unit{{"ms", "millisecond", "milliseconds"}, 0, 0, 1},
};

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::optional<double> take_number(std::string_view& text) {
  const std::size_t signs = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t length = std::min(text.find_first_not_of("0123456789.", signs), text.size());
  if (length == signs || length > 20) return std::nullopt;
  const std::string digits(text.substr(0, length));
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (end != digits.c_str() + digits.size()) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

const Unit* take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && std::isalpha(static_cast<unsigned char>(text[length])) != 0)
    ++length;
  const std::string_view name = text.substr(0, length);
  const auto* unit = std::ranges::find_if(units, [&](const Unit& candidate) {
    return std::ranges::find(candidate.names, name) != candidate.names.end();
  });
  if (unit == units.end()) return nullptr;
  text.remove_prefix(length);
  return unit;
}

}  // namespace

const TimeZone& system_time_zone() {
  static const SystemZone zone;
  return zone;
}

const TimeZone& utc_time_zone() {
  static const UtcZone zone;
  return zone;
}

int days_in_month(int year, int month) {
  return static_cast<int>(day_number(year, month + 1, 1) - day_number(year, month, 1));
}

Clock clock_of(std::int64_t milliseconds, const TimeZone& zone) {
  Clock clock;
  clock.offset = zone.offset_at(milliseconds);
  const std::int64_t local = milliseconds + clock.offset;
  const std::int64_t days = floor_div(local, per_day);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  clock.year = static_cast<int>(date.year());
  clock.month = static_cast<int>(static_cast<unsigned>(date.month()));
  clock.day = static_cast<int>(static_cast<unsigned>(date.day()));
  const auto rest = static_cast<int>(local - days * per_day);
  clock.hour = rest / static_cast<int>(per_hour);
  clock.minute = rest / static_cast<int>(per_minute) % 60;
  clock.second = rest / static_cast<int>(per_second) % 60;
  clock.millisecond = rest % static_cast<int>(per_second);
  clock.weekday = static_cast<int>((days % 7 + 11) % 7);
  clock.day_of_year = static_cast<int>(days - day_number(clock.year, 1, 1)) + 1;
  return clock;
}

std::int64_t instant_of(const Clock& clock, const TimeZone& zone) {
  return instant_of_local(day_number(clock.year, clock.month, clock.day) * per_day +
                              clock.hour * per_hour + clock.minute * per_minute +
                              clock.second * per_second + clock.millisecond,
                          zone);
}

Date start_of_day(Date date, const TimeZone& zone) {
  Clock clock = clock_of(date.milliseconds, zone);
  clock.hour = clock.minute = clock.second = clock.millisecond = 0;
  return {instant_of(clock, zone), false};
}

std::optional<Date> added(Date date, const Duration& duration, int sign, const TimeZone& zone) {
  constexpr double max_months = 12 * 20'000;
  constexpr double max_days = 366 * 20'000;
  constexpr double max_milliseconds = max_days * per_day;
  if (!(std::fabs(duration.months) < max_months && std::fabs(duration.days) < max_days &&
        std::fabs(duration.milliseconds) < max_milliseconds))
    return std::nullopt;
  const int months = sign * whole(duration.months);
  const int days = sign * whole(duration.days);
  const auto exact = sign * static_cast<std::int64_t>(std::llround(duration.milliseconds));
  if (months != 0) {
    Clock clock = clock_of(date.milliseconds, zone);
    const std::int64_t all = std::int64_t{clock.year} * 12 + clock.month - 1 + months;
    clock.year = static_cast<int>(floor_div(all, 12));
    clock.month = static_cast<int>(all - std::int64_t{clock.year} * 12) + 1;
    clock.day = std::min(clock.day, days_in_month(clock.year, clock.month));
    date.milliseconds = instant_of(clock, zone);
  }
  if (days != 0) {
    Clock clock = clock_of(date.milliseconds, zone);
    clock.day += days;
    date.milliseconds = instant_of(clock, zone);
  }
  date.milliseconds += exact;
  date.has_time = date.has_time || exact != 0;
  const Clock clock = clock_of(date.milliseconds, zone);
  if (clock.year < 0 || clock.year > 9999) return std::nullopt;
  return date;
}

std::optional<Date> parse_date(std::string_view text, const TimeZone& zone) {
  const auto moment = parse_moment(text);
  if (!moment) return std::nullopt;
  const std::int64_t milliseconds = floor_div(moment->microseconds, 1'000);
  if (moment->has_zone) return Date{milliseconds, true};
  return Date{instant_of_local(milliseconds, zone), moment->has_time};
}

std::optional<Duration> parse_duration(std::string_view text) {
  Duration duration;
  skip_spaces(text);
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    skip_spaces(text);
    const Unit* unit = take_unit(text);
    if (unit == nullptr) return std::nullopt;
    duration.months += *number * unit->months;
    // The fraction of a day counts in exact time, as that of a month cannot.
    const double days = *number * unit->days;
    duration.days += std::trunc(days);
    duration.milliseconds +=
        *number * unit->milliseconds + (days - std::trunc(days)) * static_cast<double>(per_day);
    skip_spaces(text);
  }
  return duration;
}

double milliseconds_of(const Duration& duration) {
  constexpr double days_per_month = 146'097.0 / 4'800;
  const double days = duration.days + std::round(duration.months * days_per_month);
  return days * static_cast<double>(per_day) + duration.milliseconds;
}

}  // namespace notesdb::expression
