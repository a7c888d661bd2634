#include "query/number.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace notesdb;

TEST_CASE("numbers are read from text without guessing", "[query]") {
  for (std::string_view text : {"7",
                                "-7",
                                "+7",
                                "007",
                                "1.5",
                                "-.5",
                                "1e3",
                                "6E-2",
                                "0",
                                "18446744073709551616",
                                "-99999999999999999999"}) {
    INFO(text);
    CHECK(Number::parse(text));
  }
  for (std::string_view text : {"",
                                "-",
                                "+",
                                "seven",
                                "7 ",
                                " 7",
                                "1,5",
                                "0x10",
                                "inf",
                                "nan",
                                "1e",
                                "--1",
                                "+-1",
                                "1.2.3",
                                "1e999"}) {
    INFO(text);
    CHECK_FALSE(Number::parse(text));
  }
}

TEST_CASE("numbers compare exactly, in one total order", "[query]") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const std::vector<Number> ascending{Number(std::nan("")),
                                      Number(-HUGE_VAL),
                                      *Number::parse("-99999999999999999999999"),
                                      *Number::parse("-9223372036854775809"),
                                      Number(least),
                                      Number(-1.5),
                                      Number(std::int64_t{-1}),
                                      Number(-0.5),
                                      Number(std::int64_t{0}),
                                      Number(0.5),
                                      Number(std::int64_t{9007199254740992}),
                                      Number(std::int64_t{9007199254740993}),
                                      Number(9007199254740994.0),
                                      Number(most),
                                      *Number::parse("9223372036854775808"),
                                      *Number::parse("10000000000000000000000"),
                                      Number(HUGE_VAL)};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      INFO(i << " and " << j);
      int order = compare(ascending[i], ascending[j]);
      CHECK((order < 0) == (i < j));
      CHECK((order > 0) == (i > j));
    }
  }
  CHECK(compare(Number(std::int64_t{1}), Number(1.0)) == 0);
}
