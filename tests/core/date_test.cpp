#include "core/date.h"

#include <catch2/catch.hpp>

using namespace notesdb;

namespace {
std::string shown(std::string_view text) {
  auto moment = parse_moment(text);
  return moment ? format_moment(*moment) : "none";
}
}  // namespace

TEST_CASE("dates are read in the spellings that occur", "[core]") {
  CHECK(shown("2026-01-31") == "2026-01-31");
  CHECK(shown("2026-01-31 9:05") == "2026-01-31T09:05:00");
  CHECK(shown("2026-01-31T09:05:00") == "2026-01-31T09:05:00");
  CHECK(shown("2026-01-31T09:05:00.250Z") == "2026-01-31T09:05:00Z");
  CHECK(shown("2023-10-18 09:39:00 -0500") == "2023-10-18T14:39:00Z");
  CHECK(shown("2015-03-17 9:00:00 -4") == "2015-03-17T13:00:00Z");
  CHECK(shown("2026-01-01T00:30+02:00") == "2025-12-31T22:30:00Z");
  CHECK(shown("2024-02-29") == "2024-02-29");
  CHECK(shown("0000-01-01") == "0000-01-01");
}

TEST_CASE("other spellings are not dates", "[core]") {
  for (std::string_view text : {"",
                                "2026",
                                "2026-1-31",
                                "2026-02-29",
                                "2026-13-01",
                                "06/08/2017",
                                "April 7, 2005",
                                "2026-01-31T",
                                "2026-01-31 24:00",
                                "2026-01-31 9:5",
                                "2026-01-31T09:05:00.",
                                "2026-01-31T09:05:00+",
                                "2026-01-31T09:05:00+100",
                                "2026-01-31T09:05:00+01:",
                                "2026-01-31T09:05 ",
                                "2026-01-31Z",
                                " 2026-01-31",
                                "1667692800000"}) {
    INFO(text);
    CHECK_FALSE(parse_moment(text));
  }
}

TEST_CASE("two moments are the same when the point is", "[core]") {
  CHECK(parse_moment("2026-01-31") == parse_moment("2026-01-31T00:00"));
  CHECK(parse_moment("2026-01-31T12:00Z") == parse_moment("2026-01-31T13:00:00+01:00"));
  CHECK(*parse_moment("2026-01-31T12:00:00.5") > *parse_moment("2026-01-31T12:00:00"));
  CHECK(parse_moment("2026-01-31T12:00:00.1234567") == parse_moment("2026-01-31T12:00:00.123456"));
  CHECK(*parse_moment("1969-12-31") < *parse_moment("1970-01-01"));
}

TEST_CASE("relative dates count from the caller's clock", "[core]") {
  Timestamp now = *parse_moment("2026-01-31 10:30");
  auto shifted = [&](std::string_view text) {
    auto moment = parse_relative_moment(text, now);
    return moment ? format_moment(*moment) : "none";
  };
  CHECK(shifted("today") == "2026-01-31");
  CHECK(shifted("now") == "2026-01-31T10:30:00");
  CHECK(shifted("today+7d") == "2026-02-07");
  CHECK(shifted("today-1w") == "2026-01-24");
  CHECK(shifted("now-2h") == "2026-01-31T08:30:00");
  CHECK(shifted("today+90m") == "2026-01-31T01:30:00");
  CHECK(shifted("today+1mo") == "2026-02-28");
  CHECK(shifted("today-11mo") == "2025-02-28");
  CHECK(shifted("today-1mo") == "2025-12-31");
  CHECK(shifted("today+2y") == "2028-01-31");
  for (std::string_view text : {"",
                                "tomorrow",
                                "today+",
                                "today+d",
                                "today7d",
                                "today+7",
                                "today+7x",
                                "today+7dd",
                                "today+999999y",
                                "today-999999w",
                                "today+1000000000d"}) {
    INFO(text);
    CHECK(shifted(text) == "none");
  }
}

TEST_CASE("a moment lies in its period", "[core]") {
  Timestamp moment = *parse_moment("2026-01-31T23:59");
  CHECK(period_of(moment, DatePart::day) == "2026-01-31");
  CHECK(period_of(moment, DatePart::week) == "2026-W05");
  CHECK(period_of(moment, DatePart::month) == "2026-01");
  CHECK(period_of(moment, DatePart::quarter) == "2026-Q1");
  CHECK(period_of(moment, DatePart::year) == "2026");
  CHECK(period_of(*parse_moment("2021-01-03"), DatePart::week) == "2020-W53");
  CHECK(period_of(*parse_moment("2024-12-30"), DatePart::week) == "2025-W01");
  CHECK(period_of(*parse_moment("2024-12-29"), DatePart::week) == "2024-W52");
  CHECK(parse_date_part("quarter") == DatePart::quarter);
  CHECK_FALSE(parse_date_part("hour"));
}

TEST_CASE("a file's time stamp is shown in UTC", "[core]") {
  CHECK(format_utc(0) == "1970-01-01T00:00:00Z");
  CHECK(format_utc(1'769'850'300) == "2026-01-31T09:05:00Z");
  CHECK(format_utc(-1) == "1969-12-31T23:59:59Z");
}
