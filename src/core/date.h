// Dates as they occur in notes, compared by calendar and returned as written.
//
//   2026-01-31   2026-01-31 9:05   2026-01-31T09:05:00.250Z   2026-01-31 09:05:00 -0500
//
// Without a zone a moment is taken as written; a date is its midnight. Other spellings are not
// dates: parse_moment comes back empty and the field is an issue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

// A point on the calendar, in microseconds since 1970-01-01T00:00, zone applied where one was
// written. Year 0000 to 9999.
struct Timestamp {
  std::int64_t microseconds = 0;
  bool has_time = false;
  bool has_zone = false;
  // Two moments are the same when the point is; how they were written does not count.
  friend bool operator==(Timestamp a, Timestamp b) { return a.microseconds == b.microseconds; }
  friend auto operator<=>(Timestamp a, Timestamp b) { return a.microseconds <=> b.microseconds; }
};

std::optional<Timestamp> parse_moment(std::string_view text);

// today, now, today+7d, today-1w, now-2h (units: m minutes, h, d, w, mo, y), against `now`, the
// caller's local clock as written. Empty if the text is not of this form.
std::optional<Timestamp> parse_relative_moment(std::string_view text, Timestamp now);

// What a clock on the wall shows, and how far it is ahead of UTC in microseconds.
struct Clock {
  Timestamp local;
  std::int64_t utc_offset = 0;
};

// The clock of this machine.
Clock local_clock();
// Local time as written, with microseconds.
Timestamp local_now();
// RFC 3339 in UTC of a file's time stamp: 2026-01-31T09:05:00Z (no fraction).
std::string format_utc(std::int64_t seconds_since_epoch);
// "2026-01-31", or with a time "2026-01-31T09:05:00", with a zone "2026-01-31T09:05:00Z".
std::string format_moment(Timestamp moment);

enum class DatePart { day, week, month, quarter, year };
std::string_view name_of(DatePart part);
std::optional<DatePart> parse_date_part(std::string_view name);
// The period a moment lies in (in UTC if it has a zone): 2026-01-31, 2026-W05 (ISO 8601), 2026-01,
// 2026-Q1, 2026.
std::string period_of(Timestamp moment, DatePart part);

}  // namespace notesdb
