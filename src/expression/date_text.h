// Date text: dates and lengths of time in words, as Moment writes them in English.
//
//   2026-06-10 formatted "dddd, Do [of] MMMM gggg-[W]ww"    Wednesday, 10th of June 2026-W24
//   a day   2 hours   14 days   a month                     a length of time
//   in 74 years   3 days ago                                a date, seen from another
//
// Weeks of the tokens w and gg begin on Sunday, those of W and GG on Monday (ISO 8601).
#pragma once

#include <string>
#include <string_view>

#include "expression/calendar.h"
#include "expression/value.h"

namespace notesdb::expression {

std::string formatted(Date date, std::string_view format, const TimeZone& zone);
// The date, and the time where it has one: 2026-06-10, 2026-06-10T12:34:56.
std::string iso_text(Date date, const TimeZone& zone);
std::string words_of(const Duration& duration);
std::string relative_text(Date date, Date now, const TimeZone& zone);

}  // namespace notesdb::expression
