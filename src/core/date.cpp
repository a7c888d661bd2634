#include "core/date.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <limits>

namespace notesdb {

namespace {

constexpr std::int64_t microseconds_per_second = 1'000'000;
constexpr std::int64_t microseconds_per_minute = 60 * microseconds_per_second;
constexpr std::int64_t microseconds_per_hour = 60 * microseconds_per_minute;
constexpr std::int64_t microseconds_per_day = 24 * microseconds_per_hour;

// The calendar of a point in time.
struct Calendar {
  int year = 0;
  int month = 1;
  int day = 1;
  std::int64_t of_day = 0;  // microseconds since midnight
};

std::chrono::sys_days days_of(int year, int month, int day) {
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)));
}

std::int64_t day_number(int year, int month, int day) {
  return days_of(year, month, day).time_since_epoch().count();
}

std::int64_t floor_days(std::int64_t microseconds) {
  std::int64_t days = microseconds / microseconds_per_day;
  return microseconds % microseconds_per_day < 0 ? days - 1 : days;
}

Calendar calendar_of(std::int64_t microseconds) {
  std::int64_t days = floor_days(microseconds);
  std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          microseconds - days * microseconds_per_day};
}

int days_in_month(int year, int month) {
  std::chrono::year_month_day_last last(
      std::chrono::year(year),
      std::chrono::month_day_last(std::chrono::month(static_cast<unsigned>(month))));
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

bool in_range(std::int64_t microseconds) {
  static const std::int64_t first = day_number(0, 1, 1) * microseconds_per_day;
  static const std::int64_t end = day_number(10'000, 1, 1) * microseconds_per_day;
  return microseconds >= first && microseconds < end;
}

// Reads a text from left to right; each step says whether it found what it asked for.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool take_one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A number of `least` to `most` digits that lies between `low` and `high`.
  bool take_number(std::size_t least, std::size_t most, int low, int high, int& number) {
    std::size_t length = 0;
    number = 0;
    while (length < most && at_digit()) {
      number = number * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
      ++length;
    }
    return length >= least && number >= low && number <= high;
  }

 private:
  std::string_view rest_;
};

bool read_date(Reader& reader, std::int64_t& microseconds) {
  int year = 0;
  int month = 0;
  int day = 0;
  bool read = reader.take_number(4, 4, 0, 9999, year) && reader.take("-") &&
              reader.take_number(2, 2, 1, 12, month) && reader.take("-") &&
              reader.take_number(2, 2, 1, 31, day);
  if (!read || day > days_in_month(year, month)) return false;
  microseconds = day_number(year, month, day) * microseconds_per_day;
  return true;
}

// The digits after the point; what is finer than a microsecond is dropped.
bool read_fraction(Reader& reader, std::int64_t& microseconds) {
  if (!reader.take(".")) return true;
  if (!reader.at_digit()) return false;
  for (std::int64_t unit = microseconds_per_second / 10; reader.at_digit(); unit /= 10) {
    microseconds += unit * (reader.peek() - '0');
    reader.take_one_of("0123456789");
  }
  return true;
}

bool read_time(Reader& reader, std::int64_t& microseconds) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!reader.take_number(1, 2, 0, 23, hour) || !reader.take(":")) return false;
  if (!reader.take_number(2, 2, 0, 59, minute)) return false;
  if (reader.take(":")) {
    if (!reader.take_number(2, 2, 0, 59, second)) return false;
    if (!read_fraction(reader, microseconds)) return false;
  }
  microseconds += hour * microseconds_per_hour + minute * microseconds_per_minute +
                  second * microseconds_per_second;
  return true;
}

// Z, +02:00, -0500, +02 or -4, after a space or not; nothing at all is no zone.
bool read_zone(Reader& reader, Timestamp& moment) {
  if (reader.at_end()) return true;
  reader.take(" ");
  moment.has_zone = true;
  if (reader.take_one_of("Zz")) return true;
  bool east = reader.peek() == '+';
  int hours = 0;
  int minutes = 0;
  if (!reader.take_one_of("+-") || !reader.take_number(1, 2, 0, 23, hours)) return false;
  bool colon = reader.take(":");
  if ((colon || !reader.at_end()) && !reader.take_number(2, 2, 0, 59, minutes)) return false;
  std::int64_t offset = hours * microseconds_per_hour + minutes * microseconds_per_minute;
  moment.microseconds += east ? -offset : offset;
  return true;
}

}  // namespace

std::optional<Timestamp> parse_moment(std::string_view text) {
  Reader reader(text);
  Timestamp moment;
  if (!read_date(reader, moment.microseconds)) return std::nullopt;
  if (reader.at_end()) return moment;
  moment.has_time = true;
  bool read = reader.take_one_of("Tt ") && read_time(reader, moment.microseconds) &&
              read_zone(reader, moment) && reader.at_end();
  if (!read) return std::nullopt;
  return moment;
}

namespace {

// The same time of day `months` later; the 31st becomes the last day of a shorter month.
std::int64_t add_months(std::int64_t microseconds, int months) {
  Calendar calendar = calendar_of(microseconds);
  int all_months = calendar.year * 12 + calendar.month - 1 + months;
  int month = all_months % 12 < 0 ? all_months % 12 + 12 : all_months % 12;
  int year = (all_months - month) / 12;
  int day = std::min(calendar.day, days_in_month(year, month + 1));
  return day_number(year, month + 1, day) * microseconds_per_day + calendar.of_day;
}

struct Unit {
  std::string_view name;
  std::int64_t microseconds;  // 0: counted in months
  int months;
};

constexpr std::array units{
    Unit{"mo", 0, 1},
    Unit{"m", microseconds_per_minute, 0},
    Unit{"h", microseconds_per_hour, 0},
    Unit{"d", microseconds_per_day, 0},
    Unit{"w", 7 * microseconds_per_day, 0},
    Unit{"y", 0, 12},
};

bool shift(Timestamp& moment, int count, const Unit& unit) {
  constexpr int max_months = 12 * 10'000;
  if (unit.months != 0) {
    if (count > max_months || count < -max_months) return false;
    moment.microseconds = add_months(moment.microseconds, count * unit.months);
  } else {
    moment.microseconds += count * unit.microseconds;
    if (unit.microseconds < microseconds_per_day) moment.has_time = true;
  }
  return in_range(moment.microseconds);
}

}  // namespace

std::optional<Timestamp> parse_relative_moment(std::string_view text, Timestamp now) {
  Reader reader(text);
  Timestamp moment = now;
  moment.has_time = true;
  if (reader.take("today")) {
    moment = Timestamp{floor_days(now.microseconds) * microseconds_per_day};
  } else if (!reader.take("now")) {
    return std::nullopt;
  }
  if (reader.at_end()) return moment;
  bool back = reader.peek() == '-';
  int count = 0;
  constexpr int most = 999'999;
  if (!reader.take_one_of("+-") || !reader.take_number(1, 6, 0, most, count)) return std::nullopt;
  const auto* unit = std::ranges::find_if(
      units, [&](const Unit& candidate) { return reader.take(candidate.name); });
  if (unit == units.end() || !reader.at_end()) return std::nullopt;
  if (!shift(moment, back ? -count : count, *unit)) return std::nullopt;
  return moment;
}

namespace {

// The zone is looked up again once a second at most: that reads a file's state, which costs more
// than all the rest of telling the time.
void keep_zone_current(std::int64_t second) {
  static std::atomic<std::int64_t> looked_at{std::numeric_limits<std::int64_t>::min()};
  if (looked_at.load(std::memory_order_relaxed) == second) return;
  tzset();
  looked_at.store(second, std::memory_order_relaxed);
}

}  // namespace

Clock local_clock() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  auto seconds = static_cast<std::time_t>(microseconds / microseconds_per_second);
  std::tm local{};
  keep_zone_current(seconds);
  localtime_r(&seconds, &local);
  std::int64_t offset = local.tm_gmtoff * microseconds_per_second;
  return {{microseconds + offset, true, false}, offset};
}

Timestamp local_now() {
  return local_clock().local;
}

namespace {

std::string padded(std::int64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string format_date(const Calendar& calendar) {
  return padded(calendar.year, 4) + '-' + padded(calendar.month, 2) + '-' + padded(calendar.day, 2);
}

std::string format_time(const Calendar& calendar) {
  return padded(calendar.of_day / microseconds_per_hour, 2) + ':' +
         padded(calendar.of_day / microseconds_per_minute % 60, 2) + ':' +
         padded(calendar.of_day / microseconds_per_second % 60, 2);
}

}  // namespace

std::string format_utc(std::int64_t seconds_since_epoch) {
  return format_moment({seconds_since_epoch * microseconds_per_second, true, true});
}

std::string format_moment(Timestamp moment) {
  Calendar calendar = calendar_of(moment.microseconds);
  std::string text = format_date(calendar);
  if (moment.has_time) text += 'T' + format_time(calendar);
  if (moment.has_time && moment.has_zone) text += 'Z';
  return text;
}

namespace {

constexpr std::array<std::string_view, 5> part_names{"day", "week", "month", "quarter", "year"};

// ISO 8601: weeks begin on Monday and belong to the year that their Thursday lies in.
std::string iso_week(std::int64_t microseconds) {
  std::int64_t days = floor_days(microseconds);
  std::chrono::weekday weekday{std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  std::int64_t thursday = days + 4 - static_cast<std::int64_t>(weekday.iso_encoding());
  int year = calendar_of(thursday * microseconds_per_day).year;
  std::int64_t week = (thursday - day_number(year, 1, 1)) / 7 + 1;
  return padded(year, 4) + "-W" + padded(week, 2);
}

}  // namespace

std::string_view name_of(DatePart part) {
  return part_names[static_cast<std::size_t>(part)];
}

std::optional<DatePart> parse_date_part(std::string_view name) {
  const auto* found = std::ranges::find(part_names, name);
  if (found == part_names.end()) return std::nullopt;
  return static_cast<DatePart>(found - part_names.begin());
}

std::string period_of(Timestamp moment, DatePart part) {
  Calendar calendar = calendar_of(moment.microseconds);
  switch (part) {
    case DatePart::day: return format_date(calendar);
    case DatePart::week: return iso_week(moment.microseconds);
    case DatePart::month: return padded(calendar.year, 4) + '-' + padded(calendar.month, 2);
    case DatePart::quarter:
      return padded(calendar.year, 4) + "-Q" + padded((calendar.month + 2) / 3, 1);
    case DatePart::year: return padded(calendar.year, 4);
  }
  return "";
}

}  // namespace notesdb
