#include "core/date_format.h"

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

std::string read(std::string_view text, std::string_view format) {
  const auto moment = parse_date(text, format);
  return moment ? format_moment(*moment) : "-";
}

std::string written(std::string_view iso, std::string_view format) {
  return write_date(*parse_moment(iso), format).value_or("-");
}

}  // namespace

TEST_CASE("dates are read by a format and come as ISO", "[core]") {
  struct Row {
    std::string_view text;
    std::string_view format;
    std::string_view iso;
  };
  for (const Row& row : std::vector<Row>{
           {"25/12/2024", "DD/MM/YYYY", "2024-12-25"},
           {"7/1/2024", "DD/MM/YYYY", "2024-01-07"},
           {"12/25/2024", "DD/MM/YYYY", "-"},
           {"25/12/24", "DD/MM/YYYY", "-"},
           {"25/12/2024 x", "DD/MM/YYYY", "-"},
           {"31.02.2024", "%d.%m.%Y", "-"},
           {"29.02.2024", "%d.%m.%Y", "2024-02-29"},
           {"20240506", "YYYYMMDD", "2024-05-06"},
           {"11 December 2020", "D MMMM YYYY", "2020-12-11"},
           {"11 dec 2020", "D MMM yyyy", "2020-12-11"},
           {"Sep 20th, 2020", "MMM Do, YYYY", "2020-09-20"},
           {"2024-W01", "gggg-[W]ww", "2024-01-01"},
           {"2020-W53", "GGGG-[W]WW", "2020-12-28"},
           {"2021-W53", "gggg-[W]ww", "-"},
           {"2024-Q3", "YYYY-[Q]Q", "2024-07-01"},
           {"Monday, 6 May 2024", "dddd, D MMMM YYYY", "2024-05-06"},
           {"6/5/2024 9:05 pm", "D/M/YYYY h:mm a", "2024-05-06T21:05:00"},
           {"6/5/2024 12:05 AM", "D/M/YYYY h:mm A", "2024-05-06T00:05:00"},
           {"2024-05-06T21:05:00+02:00", "YYYY-MM-DDTHH:mm:ssZ", "2024-05-06T19:05:00Z"},
           {"1714986300000", "x", "2024-05-06T09:05:00Z"},
           {"1714986300", "X", "2024-05-06T09:05:00Z"},
           {"99999999999999999999", "x", "-"}}) {
    INFO(row.text << " as " << row.format);
    REQUIRE(!problem_of_date_format(row.format));
    REQUIRE(read(row.text, row.format) == row.iso);
  }
}

TEST_CASE("a date that is written by a format is read by it as the same date", "[core]") {
  REQUIRE(written("2024-01-07", "DD/MM/YYYY") == "07/01/2024");
  REQUIRE(written("2024-01-07", "MMM Do, YYYY") == "Jan 7th, 2024");
  REQUIRE(written("2024-01-07", "gggg-[W]ww") == "2024-W01");
  REQUIRE(written("2024-05-06T00:05:00", "D/M/YYYY h:mm a") == "6/5/2024 12:05 am");
  for (const std::string_view format : {"DD/MM/YYYY",
                                        "%d.%m.%Y",
                                        "D MMMM YYYY",
                                        "dddd D MMM YYYY",
                                        "Do [of] MMMM YYYY",
                                        "YYYYMMDD"}) {
    for (const std::string_view day :
         {"1999-12-31", "2000-02-29", "2024-01-01", "2024-11-11", "2024-12-22", "0999-03-03"}) {
      INFO(day << " as " << format);
      REQUIRE(read(written(day, format), format) == day);
    }
  }
}

TEST_CASE("names are those of the locale, and each day is read back in each", "[core]") {
  const auto in = [](std::string_view locale) { return *find_date_names(locale); };
  const Timestamp march = *parse_moment("2024-03-03");
  REQUIRE(write_date(march, "D. MMMM YYYY", in("de-AT")) == "3. März 2024");
  REQUIRE(write_date(march, "dddd D MMM YYYY", in("fr")) == "dimanche 3 mars 2024");
  REQUIRE(write_date(march, "D MMMM YYYY", in("pl")) == "3 marca 2024");
  REQUIRE(parse_date("3 MÄRZ 2024", "D MMMM YYYY", in("de")) == march);
  REQUIRE(!parse_date("3 mars 2024", "D MMMM YYYY", in("de")));
  REQUIRE(find_date_names("xx") == nullptr);
  for (const std::string_view locale : {"en",
                                        "cs",
                                        "da",
                                        "de",
                                        "es",
                                        "fi",
                                        "fr",
                                        "hu",
                                        "it",
                                        "nb",
                                        "nl",
                                        "pl",
                                        "pt_BR",
                                        "ru",
                                        "sv",
                                        "tr",
                                        "uk"}) {
    REQUIRE(find_date_names(locale) != nullptr);
    for (Timestamp day = *parse_moment("2024-01-01"); day.microseconds < 1735689600000000;
         day.microseconds += 86'400'000'000) {
      for (const std::string_view format : {"dddd, D MMMM YYYY", "ddd D MMM YYYY"}) {
        const std::string text = write_date(day, format, in(locale)).value_or("-");
        INFO(text);
        REQUIRE(parse_date(text, format, in(locale)) == day);
      }
    }
  }
}

TEST_CASE("a format that is none says what it would take", "[core]") {
  for (const std::string_view format : {"DD/mm/YYYY",
                                        "2006-01-02",
                                        "MM/DD",
                                        "%Q",
                                        "YYYY-q",
                                        "[open YYYY",
                                        "hh:mm YYYY",
                                        "gggg-MM",
                                        "HH:mm"}) {
    INFO(format);
    REQUIRE(problem_of_date_format(format));
  }
  REQUIRE(problem_of_date_format("DD/mm/YYYY")->find("minutes") != std::string::npos);
  REQUIRE(problem_of_date_format("2006-01-02")->find("Go") != std::string::npos);
}

}  // namespace notesdb
