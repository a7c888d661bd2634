// Date names: what months and days of the week are called, in the languages that a date column may
// name as its `locale`. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace notesdb {

struct DateNames {
  std::string_view locale;                        // the language alone: de
  std::array<std::string_view, 12> months;        // as they stand behind a day: 2 stycznia
  std::array<std::string_view, 12> short_months;  // with the point that belongs to them: janv.
  std::array<std::string_view, 7> weekdays;       // from Sunday on
  std::array<std::string_view, 7> short_weekdays;
};

const DateNames& english_date_names();

// Of de, de-AT, de_AT; null where the language is not known. English for an empty one.
const DateNames* find_date_names(std::string_view locale);

// The languages that are known, for messages: en, cs, ...
std::string date_locales();

}  // namespace notesdb
