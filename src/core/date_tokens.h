// Date tokens: a date format (core/date_format.h) taken apart, part by part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

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
inline constexpr std::string_view tokens_told =
    "tokens: YYYY MM DD, M D, MMMM, HH mm ss, gggg and ww, x (epoch in milliseconds), [text]; or "
    "strftime's, as in %d.%m.%Y";

// strftime's tokens where there is a `%`, else Timestamp's.
FormatPieces split_format(std::string_view format);

}  // namespace notesdb
