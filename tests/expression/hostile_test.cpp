// Hostile expressions: each ends soon with an error that names what was too much.
#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include "expression/evaluating.h"

namespace notesdb::expression {
namespace {

using Clock = std::chrono::steady_clock;

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

// What the answer is, which comes within seconds however slow the machine.
std::string bounded(const std::string& text, const Environment& environment = made_environment()) {
  const auto begun = Clock::now();
  std::string told = answer(text, {}, environment);
  CHECK(Clock::now() - begun < std::chrono::seconds(10));
  CHECK(told.size() < 2'000);
  return told;
}

TEST_CASE("an expression of a megabyte is refused", "[expression][hostile]") {
  CHECK(bounded(repeated("1 + ", 250'000) + "1") ==
        "syntax 0: the expression is longer than 64 KiB");
}

TEST_CASE("nesting is bounded, whatever it is made of", "[expression][hostile]") {
  for (const std::string open : {"(", "[", "!", "-", "if(", "a[", "[1].map("}) {
    INFO(open);
    CHECK(bounded(repeated(open, 6'000)).find("nests more than 200 deep") != std::string::npos);
  }
  CHECK(bounded(repeated("(", 150) + "1" + repeated(")", 150)) == "1");
}

TEST_CASE("operators in a row are bounded", "[expression][hostile]") {
  CHECK(bounded(repeated("1+", 10'000) + "1").find("more than 500 operators in a row") !=
        std::string::npos);
  CHECK(bounded("a" + repeated(".b", 10'000)).find("more than 500 operators in a row") !=
        std::string::npos);
  CHECK(bounded(repeated("1+", 400) + "1") == "401");
}

TEST_CASE("memory is bounded", "[expression][hostile]") {
  CHECK(bounded("\"a\".repeat(1000000000)") == "error: repeat() would make more than 16 MiB");
  const std::string grown =
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]";
  CHECK(bounded(grown + ".reduce(acc + acc, \"abcdefgh\")").find("16 MiB") != std::string::npos);
  CHECK(bounded(grown + ".reduce([acc, acc].flat(), [1])").find("more than") != std::string::npos);
  CHECK(
      bounded("\"" + repeated("a", 60'000) + "\".replace(\"a\", \"" + repeated("b", 4'000) + "\")")
          .find("16 MiB") != std::string::npos);
}

TEST_CASE("steps are bounded", "[expression][hostile]") {
  const std::string thousand = "\"" + repeated("a,", 1'000) + "\".split(\",\")";
  CHECK(
      bounded(thousand + ".map(" + thousand + ".map(" + thousand + ".length))").find("more than") !=
      std::string::npos);
  CHECK(bounded(thousand + ".map(" + thousand + ".unique().length)").find("more than") !=
        std::string::npos);
}

TEST_CASE("values that nest are bounded", "[expression][hostile]") {
  const std::string list = "\"" + repeated("a,", 1'000) + "\".split(\",\")";
  CHECK(bounded(list + ".reduce([acc], 0)") == "error: lists nest more than 100 deep");
}

TEST_CASE("patterns take time in proportion to the text", "[expression][hostile]") {
  const std::string text = "\"" + repeated("a", 30'000) + "\"";
  CHECK(bounded("/(a+)+$/.matches(" + text + " + \"b\")") == "false");
  CHECK(bounded("/(a|aa)+$/.matches(" + text + " + \"b\")") == "false");
  CHECK(bounded("/(.{0,100}a){5}z/.matches(" + text + ".repeat(500))")
            .find("more than 2,000,000 steps") != std::string::npos);
  CHECK(bounded("/((a{1,100}){1,100}){1,100}/.matches(" + text + ")").starts_with("syntax 0: "));
}

TEST_CASE("a chain of formulas has a value however long it is", "[expression][hostile]") {
  Formulas formulas;
  for (int i = 0; i < 3'000; ++i)
    formulas.add("f" + std::to_string(i), "formula.f" + std::to_string(i + 1) + " + 1");
  formulas.add("f3000", "1");
  formulas.check();
  Environment environment = made_environment();
  environment.formulas = &formulas;
  CHECK(bounded("formula.f0", environment) == "3001");
  CHECK(bounded("formula.f2999 + formula.f0", environment) == "3003");
}

TEST_CASE("a circle of formulas fails however long it is", "[expression][hostile]") {
  Formulas formulas;
  for (int i = 0; i < 3'000; ++i)
    formulas.add("f" + std::to_string(i), "formula.f" + std::to_string((i + 1) % 3'000) + " + 1");
  formulas.check();
  Environment environment = made_environment();
  environment.formulas = &formulas;
  CHECK(bounded("formula.f0", environment).find("depends on itself") != std::string::npos);
}

TEST_CASE("each formula has steps of its own, whatever was asked before it",
          "[expression][hostile]") {
  Formulas formulas;
  formulas.add("list", "\"1\".repeat(60000).split(\"\")");
  std::string sum = "0";
  for (int i = 0; i < 40; ++i) {
    formulas.add("f" + std::to_string(i), "if(formula.list.contains(\"x\"), 1, 2)");
    sum += " + formula.f" + std::to_string(i);
  }
  formulas.check();
  Environment environment = made_environment();
  environment.formulas = &formulas;
  CHECK(bounded(sum, environment) == "80");
}

TEST_CASE("any bytes are an expression or a mistake with a place", "[expression][hostile]") {
  std::uint64_t state = 7;
  const std::string letters = "ab1.+-*/%!=<>&|()[]{},\"'\\ \n#$_:?\xC3\xA9\xFF/value.map(";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      text += letters[(state >> 33U) % letters.size()];
    }
    const Parsed parsed = parse_syntax(text);
    if (!parsed.is_tree) {
      CHECK(parsed.problems.at(0).position <= text.size());
    } else {
      const std::string told = answer(text);
      CHECK_FALSE(told.empty());
    }
  }
}

}  // namespace
}  // namespace notesdb::expression
