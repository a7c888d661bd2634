// Number formats: how the files of a number column spell their numbers, where that is not 1234.5.
//
//   decimal: ","  thousands: "."  suffix: " €"     1.234,56 €
//   prefix: "$"  thousands: ","                    -$1,234.56
//   suffix: "%"                                    45%           the number is 45
//
// Groups have three digits and may be left out when a number is read; so may spaces beside an
// affix, and the affix itself. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

struct NumberFormat {
  std::string decimal{};    // the sign before the fraction; empty: a point
  std::string thousands{};  // the sign between groups of three digits; empty: none
  std::string prefix{};
  std::string suffix{};

  // Whether numbers are spelled as YAML and JSON spell them.
  bool is_plain() const {
    return decimal.empty() && thousands.empty() && prefix.empty() && suffix.empty();
  }

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

// What is wrong with a format, as one sentence; empty if nothing is.
std::optional<std::string> problem_of_number_format(const NumberFormat& format);

// The same number as YAML spells it: "1.234,56 €" as 1234.56. Empty where the text is no number of
// this format.
std::optional<std::string> to_plain_number(std::string_view text, const NumberFormat& format);

// A number that is spelled as YAML does, as this format spells it.
std::string from_plain_number(std::string_view number, const NumberFormat& format);

}  // namespace notesdb
