// Patterns: bounded by the text and by themselves.
#include "query/pattern.h"

#include <chrono>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "core/budget.h"

namespace notesdb {
namespace {

Pattern pattern(std::string_view text) {
  auto parsed = Pattern::parse(text);
  INFO(text);
  REQUIRE(parsed);
  return *std::move(parsed);
}

std::string random_letters(std::size_t count) {
  std::mt19937 random(7);
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "ab"[random() % 2];
  return text;
}

TEST_CASE("a pattern that compiles to too much is refused, naming the limit", "[pattern]") {
  for (const char* text : {R"(\pL{500})", R"((\pL{1,40}\s){20}z)", R"(\pL{60})"}) {
    const auto refused = Pattern::parse(text);
    INFO(text);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::invalid_value);
    CHECK(refused.error().message.find("10000 instructions") != std::string::npos);
  }
  const auto too_long = Pattern::parse(std::string(1'001, 'a'));
  REQUIRE(!too_long);
  CHECK(too_long.error().message.find("1000") != std::string::npos);
  CHECK(Pattern::parse("^.{0,200}$"));
}

TEST_CASE("a match in any place of a long text is found", "[pattern]") {
  const Pattern needle = pattern("(.{0,100}a){5}zed");
  const std::size_t piece = needle.piece_bytes();
  CHECK(piece < 64'000);
  const std::string filling(3 * piece, '\n');
  for (std::size_t at = 0; at < filling.size(); at += piece / 8) {
    std::string text = filling;
    text.insert(at, "a.a.a.a.azed");
    CHECK(needle.matches(text));
  }
  CHECK_FALSE(needle.matches(filling));
}

TEST_CASE("what stands around a piece is known to anchors", "[pattern]") {
  const Pattern whole = pattern("^(.{0,100}a){5}zed$");
  const std::string filling(3 * whole.piece_bytes(), '\n');
  CHECK_FALSE(whole.matches(filling + "aaaaazed"));
  CHECK_FALSE(whole.matches("aaaaazed" + filling));
  CHECK(pattern("(?m)^(.{0,100}a){5}zed$").matches(filling + "aaaaazed" + filling));
  CHECK(pattern("(.{0,100}a){5}zed$").matches(filling + "aaaaazed"));
}

TEST_CASE("a hostile pattern ends with its budget", "[pattern]") {
  const std::string text = random_letters(std::size_t{4} << 20U);
  for (const char* hostile : {"(.{0,100}a){5}z", "(a|b)*a(a|b){18}z", "(.{0,100}){9}z"}) {
    const Pattern slow = pattern(hostile);
    const auto begun = std::chrono::steady_clock::now();
    const Budget budget({.time = std::chrono::milliseconds(100)});
    CHECK_THROWS_AS(slow.matches(text), BudgetSpent);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
  }
}

}  // namespace
}  // namespace notesdb
