// Calendar: points in time as the clock of a zone shows them, and durations added to them.
//
// The zone is an input, so that the same question has the same answer on every machine. Where a
// clock is put forward, a time that it never shows is what it would have shown; where it is put
// back, a time that it shows twice is the first of both, as in JavaScript.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expression/value.h"

namespace notesdb::expression {

class TimeZone {
 public:
  TimeZone() = default;
  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;
  virtual ~TimeZone() = default;
  // How far the clock is ahead of UTC then, in milliseconds.
  virtual std::int64_t offset_at(std::int64_t milliseconds) const = 0;
};

// The zone of this process (TZ). Reading the zone's file is the C library's.
const TimeZone& system_time_zone();
const TimeZone& utc_time_zone();

// What a clock shows.
struct Clock {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
  int weekday = 4;      // 0 is Sunday
  int day_of_year = 1;  // from 1
  std::int64_t offset = 0;
};

Clock clock_of(std::int64_t milliseconds, const TimeZone& zone);
// The other way; a month or a day beyond its range leads on into the next.
std::int64_t instant_of(const Clock& clock, const TimeZone& zone);

int days_in_month(int year, int month);

Date start_of_day(Date date, const TimeZone& zone);
// Months first, then days, both on the clock; then exact time. `sign` is 1 or -1. Empty where
// the result is not between the years 0 and 9999.
std::optional<Date> added(Date date, const Duration& duration, int sign, const TimeZone& zone);

// A date as core/date.h reads it: without a zone it is local.
std::optional<Date> parse_date(std::string_view text, const TimeZone& zone);

// "1d", "2 weeks", "1h 30m": numbers with units, y M w d h m s ms or their words.
std::optional<Duration> parse_duration(std::string_view text);
// In milliseconds, a month counted as the 400th part of 400 years as Moment has it.
double milliseconds_of(const Duration& duration);

}  // namespace notesdb::expression
