// Spelling: in which format the texts of a column are dates or numbers, by what the texts prove.
//
//   25/12/2024  7/1/2024     DD/MM/YYYY    one first part is over 12, and no second one
//   03/04/2024  05/06/2024   open          both readings are dates: a person has to say
//   851.30  1.50  12.00      2 decimals
//   1.234,56 €  12,50 €      decimal ",", thousands ".", suffix " €", 2 decimals
//
// Nothing is concluded from a locale, from other columns, or from what is usual. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"

namespace notesdb {

struct Spelling {
  ColumnType type = ColumnType::text;  // date, datetime or number; text where nothing is proved
  std::string format;                  // of a date
  std::optional<int> decimals;         // of a number
  // Formats between which the texts do not decide.
  std::vector<std::string> open{};
};

// Of texts that are not empty. A format holds where four of five texts fit it, ISO dates included.
Spelling find_date_spelling(std::string_view key, const std::vector<std::string_view>& texts);

// How many decimals the numbers have, where all have as many, two or more, and not all end with one
// zero: 1.50 beside 12.00. Empty for what may be versions: 1.9, 1.10; 1.10, 1.20.
std::optional<int> find_decimals(const std::vector<std::string_view>& texts);

// Amounts of one currency, or percents: all texts have the same sign beside their number, and none
// of them can be read in two ways. `1.234,56 €` beside `12,50 €`; `$1,234` alone is open.
struct AmountSpelling {
  NumberFormat format;
  std::optional<int> decimals;  // that all have
};
std::optional<AmountSpelling> find_amounts(const std::vector<std::string_view>& texts);

}  // namespace notesdb
