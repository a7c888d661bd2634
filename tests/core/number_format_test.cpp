#include "core/number_format.h"

#include <vector>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

const NumberFormat euros{.decimal = ",", .thousands = ".", .suffix = " €"};
const NumberFormat dollars{.thousands = ",", .prefix = "$"};
const NumberFormat percent{.suffix = "%"};
const NumberFormat swiss{.thousands = "’", .prefix = "Fr. "};
const NumberFormat french{.decimal = ",", .thousands = "\u202F"};

std::string read(std::string_view text, const NumberFormat& format) {
  return to_plain_number(text, format).value_or("-");
}

}  // namespace

TEST_CASE("numbers are read by a format and come plain", "[core]") {
  struct Row {
    std::string_view text;
    const NumberFormat& format;
    std::string_view plain;
  };
  for (const Row& row : std::vector<Row>{
           {"1.234,56 €", euros, "1234.56"},
           {"1234,56€", euros, "1234.56"},
           {"-12,50\u00A0€", euros, "-12.50"},
           {"12", euros, "12"},
           {"1.234", euros, "1234"},
           {"12.50 €", euros, "-"},
           {"1.2345,0 €", euros, "-"},
           {"1234.567 €", euros, "-"},
           {"€ 12", euros, "-"},
           {"12,", euros, "-"},
           {"€", euros, "-"},
           {"", euros, "-"},
           {"$1,234.56", dollars, "1234.56"},
           {"-$5", dollars, "-5"},
           {"$-5", dollars, "-5"},
           {"+-5", dollars, "-"},
           {"1,23", dollars, "-"},
           {"45%", percent, "45"},
           {"4.5 %", percent, "4.5"},
           {"1,5%", percent, "-"},
           {"Fr. 1’234.50", swiss, "1234.50"},
           {"1 234,5", french, "1234.5"},
           {"1\u00A0234\u202F567", french, "1234567"},
       }) {
    INFO(row.text);
    CHECK(read(row.text, row.format) == row.plain);
  }
}

TEST_CASE("what a format writes it reads", "[core]") {
  CHECK(from_plain_number("1234567.50", euros) == "1.234.567,50 €");
  CHECK(from_plain_number("-123456", dollars) == "-$123,456");
  CHECK(from_plain_number("0.5", percent) == "0.5%");
  CHECK(from_plain_number("1e+30", euros) == "1e+30 €");
  for (const NumberFormat& format : {euros, dollars, percent, swiss, french}) {
    for (const std::string plain :
         {"0", "-1", "12", "123", "1234", "-123456.789", "1234567", "1e+30"}) {
      const std::string text = from_plain_number(plain, format);
      INFO(text);
      CHECK(read(text, format) == plain);
    }
  }
}

TEST_CASE("a format that could be read in two ways is refused", "[core]") {
  for (const NumberFormat& format : std::vector<NumberFormat>{{.thousands = "."},
                                                              {.decimal = ",", .thousands = ","},
                                                              {.decimal = ";"},
                                                              {.thousands = "x"},
                                                              {.prefix = "1"},
                                                              {.prefix = "-"},
                                                              {.suffix = "\n"}})
    CHECK(problem_of_number_format(format));
  for (const NumberFormat& format :
       {NumberFormat{.decimal = "."}, euros, dollars, percent, swiss, french})
    CHECK_FALSE(problem_of_number_format(format));
}

}  // namespace notesdb
