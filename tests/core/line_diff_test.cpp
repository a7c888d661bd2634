#include "core/line_diff.h"

#include <random>

#include <catch2/catch.hpp>

using namespace notesdb;

namespace {

std::string random_text(std::mt19937& random, std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i)
    text += std::string(1, char('a' + random() % 5)) + "\n";
  return text;
}

// The length of a longest common subsequence, by the textbook table.
std::size_t longest_common(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

std::size_t check_matches(const Lines& a, const Lines& b, const std::vector<Match>& matches) {
  std::size_t a_at = 0;
  std::size_t b_at = 0;
  std::size_t total = 0;
  for (const Match& match : matches) {
    REQUIRE(match.a >= a_at);
    REQUIRE(match.b >= b_at);
    for (std::size_t i = 0; i < match.length; ++i)
      REQUIRE(a[match.a + i] == b[match.b + i]);
    a_at = match.a + match.length;
    b_at = match.b + match.length;
    total += match.length;
  }
  REQUIRE(a_at <= a.size());
  REQUIRE(b_at <= b.size());
  return total;
}

}  // namespace

TEST_CASE("lines keep their ends and join to the text", "[core]") {
  std::string text = "one\r\ntwo\n\nlast";
  Lines lines = split_lines(text);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "one\r\n");
  CHECK(lines[3] == "last");
  CHECK(join_lines(lines, 0, lines.size()) == text);
  CHECK(split_lines("").empty());
}

TEST_CASE("matched lines are the same, in order, and as many as there can be", "[core]") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string a = random_text(random, random() % 12);
    std::string b = random_text(random, random() % 12);
    Lines a_lines = split_lines(a);
    Lines b_lines = split_lines(b);
    std::size_t matched = check_matches(a_lines, b_lines, match_lines(a_lines, b_lines));
    INFO("a:\n" << a << "b:\n" << b);
    CHECK(matched == longest_common(a_lines, b_lines));
  }
}

TEST_CASE("texts too different for a shortest answer still get a correct one", "[core]") {
  std::string a = "head\n";
  std::string b = "head\n";
  for (int i = 0; i < 5000; ++i) {
    a += "a" + std::to_string(i) + "\n";
    b += "b" + std::to_string(i) + "\n";
  }
  Lines a_lines = split_lines(a);
  Lines b_lines = split_lines(b);
  CHECK(check_matches(a_lines, b_lines, match_lines(a_lines, b_lines)) == 1);
}

TEST_CASE("the hunks of three texts cover each of them wholly", "[core]") {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string texts[3];
    for (std::string& text : texts)
      text = random_text(random, random() % 10);
    Lines base = split_lines(texts[0]);
    Lines ours = split_lines(texts[1]);
    Lines theirs = split_lines(texts[2]);
    std::string joined[3];
    for (const Hunk& hunk : diff3(base, ours, theirs)) {
      joined[0] += join_lines(base, hunk.base_begin, hunk.base_end);
      joined[1] += join_lines(ours, hunk.ours_begin, hunk.ours_end);
      joined[2] += join_lines(theirs, hunk.theirs_begin, hunk.theirs_end);
    }
    for (int i = 0; i < 3; ++i)
      CHECK(joined[i] == texts[i]);
  }
}

TEST_CASE("a hunk says whose change it is", "[core]") {
  auto kinds = [](std::string_view base, std::string_view ours, std::string_view theirs) {
    std::vector<HunkKind> found;
    for (const Hunk& hunk : diff3(split_lines(base), split_lines(ours), split_lines(theirs))) {
      found.push_back(hunk.kind);
    }
    return found;
  };
  using enum HunkKind;
  CHECK(kinds("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\n") == std::vector{same, ours, same});
  CHECK(kinds("a\nb\nc\n", "a\nb\nc\n", "a\nb\n") == std::vector{same, theirs});
  CHECK(kinds("a\nb\n", "a\nX\n", "a\nX\n") == std::vector{same, both});
  CHECK(kinds("a\nb\n", "a\nX\n", "a\nY\n") == std::vector{same, conflict});
  CHECK(kinds("a\n", "a\nX\n", "a\nY\n") == std::vector{same, conflict});
}
