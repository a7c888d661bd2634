// The language: literals, operators, names, and what every function gives.
#include <array>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "expression/evaluating.h"
#include "expression/functions.h"

namespace notesdb::expression {
namespace {

struct Example {
  std::string_view text;
  std::string_view answer;
};

void check_all(std::initializer_list<Example> examples) {
  for (const Example& example : examples) {
    INFO(example.text);
    CHECK(answer(example.text) == example.answer);
  }
}

TEST_CASE("operators bind as in JavaScript", "[expression]") {
  check_all({{"1 + 2 * 3", "7"},
             {"(1 + 2) * 3", "9"},
             {"10 - 4 - 3", "3"},
             {"-2 * -3", "6"},
             {"!true || true", "true"},
             {"1 < 2 == true", "true"},
             {"7 % 4 + 8 / 2", "7"},
             {"0.1 + 0.2", "0.30000000000000004"},
             {"1 + \"a\" + 2", "\"1a2\""},
             {"true && 3", "true"},
             {"null || 0", "false"}});
}

TEST_CASE("what is missing is null and stops nothing", "[expression]") {
  check_all({{"missing", "null"},
             {"missing == null", "true"},
             {"missing > 3", "false"},
             {"missing <= 3", "false"},
             {"missing + 1", "null"},
             {"missing.lower().slice(2)", "null"},
             {"missing.isEmpty()", "true"},
             {"missing.a.b[3]", "null"},
             {"\"a\" + missing", "\"a\""},
             {"[1, 2][5]", "null"},
             {"if(missing, 1)", "null"}});
}

TEST_CASE("a mistake is told with its place", "[expression]") {
  check_all({{"1 +", "syntax 3: expected a value instead of the end of the expression"},
             {"(1", "syntax 2: expected ')' to close '(' instead of the end of the expression"},
             {"a b", "syntax 2: unexpected 'b'; expected an operator or the end"},
             {"a = 1", "syntax 2: '=' does not compare; write '=='"},
             {"\"abc", "syntax 0: the string that begins here is not closed"},
             {"5.isEmpty()", "syntax 1: a number needs parentheses before '.'; write (5)."},
             {"+price", "syntax 0: a sign '+' is not supported; leave it out"},
             {"{\"a\": 1}", "syntax 0: an object '{...}' is not supported in an expression"},
             {"/(?=a)/", "syntax 0: invalid pattern /(?=a)/: look-ahead '(?=' is not supported"},
             {"/a/q", "syntax 0: unknown flag 'q' of a pattern; flags: g, i, m, s, u"},
             {"a ? b : c", "syntax 2: unexpected character '?'"}});
}

TEST_CASE("kinds that do not go together are an error of the value", "[expression]") {
  check_all({{"2 * duration(\"1h\")", "error: Invalid operator between Number and Duration"},
             {"1 < \"a\"", "error: Invalid operator between Number and String"},
             {"1 - \"a\"", "error: Invalid operator between Number and String"},
             {"(1).lower()", "error: Cannot find function \"lower\" on type Number"},
             {"[1].length.x", "error: Cannot find \"x\" on type Number"},
             {"number(\"nope\")", "error: Unable to parse \"nope\" as a number."},
             {"1 / 0", "error: not a finite number"},
             {"date(\"2026-13-01\")", "error: Unable to parse \"2026-13-01\" as a date."}});
}

TEST_CASE("every function is called with too few and too many arguments", "[expression]") {
  for (const Function& function : all_functions()) {
    INFO(function.signature());
    const bool is_global = function.receiver == Receiver::global;
    const std::string call = (is_global ? "" : "missing.") + std::string(function.name);
    if (function.min_arguments() > 0 && function.receiver != Receiver::date &&
        function.name != "date")
      CHECK_FALSE(parse_syntax(call + "()").problems.empty());
    if (function.max_arguments() < 5)
      CHECK_FALSE(parse_syntax(call + "(1, 2, 3, 4, 5)").problems.empty());
  }
}

TEST_CASE("texts", "[expression]") {
  check_all({{"\"Grüße\".lower()", "\"grüße\""},
             {"\"été à la MER\".title()", "\"Été À La Mer\""},
             {"\"añb\".reverse()", "\"bña\""},
             {"\"añb\".length", "3"},
             {"\"hello\".slice(-3, -1)", "\"ll\""},
             {"\"a-b-c\".replace(/-/, \"+\")", "\"a+b-c\""},
             {"\"ab\".replace(/(a)(b)/, \"$2$1$$\")", "\"ba$\""},
             {"\"a1b22c\".split(/\\d+/)", "[\"a\", \"b\", \"c\"]"},
             {"\"abc\".split(\"\")", "[\"a\", \"b\", \"c\"]"},
             {"\"ab\".repeat(3)", "\"ababab\""},
             {"'it\\'s'", "\"it's\""},
             {"(0.1).toString() + (1e3).toString()",
              "syntax 21: expected ')' to close '(' instead of 'e3'"},
             {"(1000000).toString()", "\"1000000\""},
             {"(2.345).toFixed(2)", "\"2.35\""},
             {"(-2.5).round()", "-2"}});
}

TEST_CASE("lists", "[expression]") {
  check_all({{"[3, 1, 2].sort().reverse()", "[3, 2, 1]"},
             {"[1, \"b\", null, \"a\"].sort()", "[1, \"a\", \"b\", null]"},
             {"[1, 2, 3].reduce(acc + value, 0)", "6"},
             {"[[1, 2], [3]].map(value.map(value + index))", "[[1, 3], [3]]"},
             {"[1, [2, [3]]].flat()", "[1, 2, 3]"},
             {"[1, 1, 2].unique().length", "2"},
             {"[1, 2, 3].slice(1)", "[2, 3]"},
             {"[1, 2].containsAll(1, 2) && ![1].containsAll(1, 2)", "true"},
             {"list(null)", "[]"},
             {"[1, 2].join(\" or \")", "\"1 or 2\""}});
}

TEST_CASE("dates", "[expression]") {
  check_all({{"date(\"2026-01-31\") + \"1M\"", "\"2026-02-28\""},
             {"date(\"2024-12-01\") + \"1M\" + \"4h\" + \"3m\"", "\"2025-01-01T04:03:00\""},
             {"(date(\"2026-03-01\") - date(\"2026-02-01\")).days", "28"},
             {"now() > date(\"2026-06-10\") && today() == date(\"2026-06-10\")", "true"},
             {"date(\"2026-06-10\") == \"2026-06-10\"", "true"},
             {"date(\"2026-06-07\").relative()", "\"3 days ago\""},
             {"date(\"2026-06-10T23:30:00+05:00\").hour", "18"},
             {"duration(\"1h 30m\").minutes", "90"},
             {"(duration(\"1h\") / 2).toString()", "\"30 minutes\""},
             {"date(\"9999-12-31\") + \"1d\"", "error: the date is beyond the years 0 to 9999"}});
}

TEST_CASE("names in a call for every item hide properties, elsewhere they do not", "[expression]") {
  MadeNote note;
  note.set("value", 7.0);
  note.set("values", Value::list_of({1.0, 2.0}));
  CHECK(answer("value + values.map(value * 10)[1]", note) == "27");
  CHECK(answer("note.value", note) == "7");
  CHECK(answer("note[\"values\"].length", note) == "2");
}

TEST_CASE("chance and time are inputs", "[expression]") {
  Environment environment = made_environment();
  const std::string first = answer("random()", {}, environment);
  CHECK(answer("random()", {}, environment) == first);
  environment.seed = 1;
  CHECK(answer("random()", {}, environment) != first);
  CHECK(answer("random() >= 0 && random() < 1", {}, environment) == "true");
}

TEST_CASE("formulas use each other and circles are told", "[expression]") {
  Formulas formulas;
  formulas.add("a", "formula.b * 2");
  formulas.add("b", "3");
  formulas.add("x", "formula.y");
  formulas.add("y", "formula.x + 1");
  formulas.add("z", "formula.q");
  formulas.check();
  CHECK(formulas.find("a")->problems.empty());
  CHECK(formulas.find("x")->problems.at(0).message == "the formula depends on itself: x -> y -> x");
  CHECK(formulas.find("z")->problems.at(0).message.starts_with("unknown formula 'q'"));
  Environment environment = made_environment();
  environment.formulas = &formulas;
  CHECK(answer("formula.a", {}, environment) == "6");
  CHECK(answer("formula.x", {}, environment) == "error: formula \"x\" depends on itself");
  CHECK(answer("formula.nothing", {}, environment) == "error: Cannot find formula \"nothing\"");
}

TEST_CASE("the table of functions is in order and says what each does", "[expression]") {
  std::string_view last;
  std::set<std::string> signatures;
  for (const Function& function : all_functions()) {
    INFO(function.signature());
    CHECK(functions_named(function.name).size() <= 5);
    CHECK(function.summary.ends_with('.'));
    CHECK(signatures.insert(std::string(name_of(function.receiver)) + function.signature()).second);
    if (function.name != last) CHECK(functions_named(function.name).data() == &function);
    last = function.name;
  }
  CHECK(parse_syntax("missing.lowr()").problems.at(0).message.find("did you mean 'lower'?") !=
        std::string::npos);
}

}  // namespace
}  // namespace notesdb::expression
