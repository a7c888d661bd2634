// Date formats: how the files of a date column spell their dates, where that is not ISO.
//
//   MM/DD/YYYY   D MMMM YYYY   gggg-[W]ww   YYYY-MM-DD HH:mm   x    Moment's tokens
//   %d.%m.%Y     %Y-%m-%d %H:%M                                    strftime's, with any `%`
//
// Two digits are written where a token has two letters and one or two are read, unless digits
// follow. Weeks begin on Monday (ISO 8601), names are English unless the column has a locale, text
// stands between brackets. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/date.h"
#include "core/date_names.h"

namespace notesdb {

// What is wrong with a format, as one sentence; empty if nothing is.
std::optional<std::string> problem_of_date_format(std::string_view format);

// Empty where the text is not a possible date in this format.
std::optional<Timestamp> parse_date(std::string_view text,
                                    std::string_view format,
                                    const DateNames& names = english_date_names());
// Empty where the format is none.
std::optional<std::string> write_date(Timestamp moment,
                                      std::string_view format,
                                      const DateNames& names = english_date_names());

// By the first format of the column, in its language; empty where it has none.
std::optional<std::string> write_date(Timestamp moment, const Column& column);
// A date as a file of this column spells it: by the column's formats, or ISO where none fits.
std::optional<Timestamp> parse_written_date(const Column& column, std::string_view text);
// A date as a caller or a schema gives it: ISO first, else by the column's formats.
std::optional<Timestamp> parse_given_date(const Column& column, std::string_view text);

}  // namespace notesdb
