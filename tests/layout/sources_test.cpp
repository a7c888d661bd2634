// What every file of the repository keeps to: size, names, nothing left after, links that lead
// somewhere.
#include "layout/sources.h"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace notesdb::layout {
namespace {

using namespace std::string_literals;

// Words that this file must name without containing them.
std::string spelled(std::string_view first, std::string_view second) {
  return std::string(first) + std::string(second);
}

template <typename Check>
void for_each_line(const Source& source, Check check) {
  const auto lines = source.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    check(lines[i], place(source, i));
  }
}

// A class has one source, as long as its subject needs; what is longer still has a second subject.
TEST_CASE("a file is about one thing and so fits in 800 lines, a test in 900", "[layout]") {
  for (const Source& source : all_sources()) {
    if (!source.is_cpp()) continue;
    INFO(source.path << ": what is its second subject called?");
    CHECK(source.lines().size() <= (source.under("tests/") ? 900U : 800U));
  }
}

TEST_CASE("a header begins by saying what it is", "[layout]") {
  for (const Source& source : all_sources()) {
    if (!source.ends_with(".h")) continue;
    INFO(source.path);
    CHECK(source.text.starts_with("// "));
    CHECK(source.text.find("\n#pragma once\n") != std::string::npos);
  }
}

// The types that a header defines, with their namespace.
std::vector<std::string> types_of(const Source& header) {
  static const std::regex definition(R"re((?:struct|class|enum class) (\w+)\b[^;]*\{.*)re");
  static const std::regex opening(R"re(namespace ([\w:]+) \{)re");
  std::vector<std::string> types;
  std::string scope;
  for (std::string_view line : header.lines()) {
    std::match_results<std::string_view::const_iterator> match;
    if (std::regex_match(line.begin(), line.end(), match, opening)) scope = match.str(1);
    if (std::regex_match(line.begin(), line.end(), match, definition))
      types.push_back(scope + "::" + match.str(1));
  }
  return types;
}

// Two types of one name link without a word and destroy each other's memory.
TEST_CASE("a type is defined in one header", "[layout]") {
  std::map<std::string, std::string> homes;
  for (const Source& source : all_sources()) {
    if (!source.under("src/") || !source.ends_with(".h")) continue;
    for (const std::string& type : types_of(source)) {
      const auto [home, is_new] = homes.emplace(type, source.path);
      INFO(type << " is defined in " << home->second << " and in " << source.path);
      CHECK(is_new);
    }
  }
  CHECK(homes.size() > 100);
}

TEST_CASE("every file has a subject to be named after", "[layout]") {
  const std::set<std::string> subjectless = {
      "util", "utils", "helper", "helpers", "common", "misc"};
  const std::regex words("[^/._]+");
  for (const Source& source : all_sources()) {
    if (!source.under("src/") && !source.under("tests/") && !source.under("tools/")) continue;
    INFO(source.path);
    for (std::sregex_iterator word(source.path.begin(), source.path.end(), words), end; word != end;
         ++word) {
      CHECK_FALSE(subjectless.contains(word->str()));
    }
  }
}

TEST_CASE("nothing is left to be done later in a comment", "[layout]") {
  const std::regex marker("\\b(" + spelled("TO", "DO") + "|" + spelled("FIX", "ME") + "|" +
                          spelled("XX", "X") + "|" + spelled("HA", "CK") + ")\\b");
  for (const Source& source : all_sources()) {
    if (!source.is_cpp() && !source.under("docs/") && !source.under("cmake/")) continue;
    for_each_line(source, [&](std::string_view line, const std::string& where) {
      if (line.find_first_of("OXAI") == std::string_view::npos) return;
      INFO(where << ": " << line);
      CHECK_FALSE(std::regex_search(line.begin(), line.end(), marker));
    });
  }
}

TEST_CASE("the repository names no machine it was made on", "[layout]") {
  const std::vector<std::string> traces = {spelled("/wo", "rk/"),
                                           spelled("/fa", "rm/"),
                                           spelled("artifact", "ory."),
                                           spelled("registry.", "npmjs."),
                                           spelled("deb.debian", ".org")};
  const std::string before_a_path = " \t\"'`(=:,<>[";
  for (const Source& source : all_sources()) {
    if (source.path == "LICENSE") continue;
    for_each_line(source, [&](std::string_view line, const std::string& where) {
      for (const std::string& trace : traces) {
        const std::size_t at = line.find(trace);
        if (at == std::string_view::npos) continue;
        const bool inside_a_longer_path =
            trace[0] == '/' && at > 0 && before_a_path.find(line[at - 1]) == std::string::npos;
        INFO(where << ": " << line);
        CHECK(inside_a_longer_path);
      }
    });
  }
}

TEST_CASE("a test is a tagged claim that runs by default", "[layout]") {
  const std::regex test_case(R"re(TEST_CASE\(\s*"((?:[^"\\]|\\.|"\s*")*)"\s*(?:,\s*"([^"]*)")?)re");
  for (const Source& source : all_sources()) {
    if (!source.under("tests/") || !source.ends_with(".cpp")) continue;
    const std::string& text = source.text;
    for (std::sregex_iterator found(text.begin(), text.end(), test_case), end; found != end;
         ++found) {
      const std::string name = (*found)[1];
      const std::string tags = (*found)[2];
      INFO(source.path << ": " << name << " " << tags);
      CHECK(name.find(';') == std::string::npos);
      CHECK(tags.starts_with("["));
      CHECK(tags.find("[.") == std::string::npos);
      CHECK(tags.find("[!") == std::string::npos);
    }
  }
}

// A page without what stands between backticks, in a line or in a block.
std::string without_code(std::string_view text) {
  std::string prose;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('`'), text.size());
    prose += text.substr(0, open);
    text.remove_prefix(open);
    const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
    const std::string_view fence = text.substr(0, ticks);
    text.remove_prefix(ticks);
    const std::size_t close = fence.empty() ? std::string_view::npos : text.find(fence);
    if (close != std::string_view::npos) text.remove_prefix(close + ticks);
  }
  return prose;
}

// The relative links of a page, without their anchors.
std::vector<std::string> links_of(const Source& page) {
  const std::regex link(R"re(\]\(([^):#\s]+)(?:#[^)\s]*)?\))re");
  const std::string prose = without_code(page.text);
  std::vector<std::string> links;
  for (std::sregex_iterator found(prose.begin(), prose.end(), link), end; found != end; ++found) {
    links.push_back((*found)[1]);
  }
  return links;
}

TEST_CASE("every link of the documentation leads to a file", "[layout]") {
  for (const Source& page : all_sources()) {
    if (page.path != "README.md" && !(page.under("docs/") && page.ends_with(".md"))) continue;
    const std::string folder = page.path.substr(0, page.path.rfind('/') + 1);
    for (const std::string& link : links_of(page)) {
      INFO(page.path << " links to " << link);
      CHECK(exists_in_repository(folder + link));
    }
  }
}

TEST_CASE("a page that a source or a script names is there", "[layout]") {
  const std::regex page(R"re(\bdocs/[a-z][\w./-]*\.\w+)re");
  for (const Source& source : all_sources()) {
    if (!source.is_cpp() && !source.under("tools/") && !source.under("cmake/")) continue;
    for_each_line(source, [&](std::string_view line, const std::string& where) {
      if (line.find("docs/") == std::string_view::npos) return;
      const std::string text(line);
      for (std::sregex_iterator found(text.begin(), text.end(), page), end; found != end; ++found) {
        INFO(where << " names " << found->str());
        CHECK(exists_in_repository(found->str()));
      }
    });
  }
}

// What stands after `mark` at the beginning of a line, up to the first space.
std::vector<std::string> words_behind(const std::string& path, std::string_view mark) {
  std::vector<std::string> words;
  for (const Source& source : all_sources()) {
    if (source.path != path) continue;
    for (std::string_view line : source.lines()) {
      if (!line.starts_with(mark)) continue;
      line.remove_prefix(mark.size());
      words.emplace_back(line.substr(0, line.find(' ')));
    }
  }
  return words;
}

TEST_CASE("the man page has every command that docs/commands.md has", "[layout]") {
  const std::vector<std::string> in_man_page = words_behind("docs/notesdb.1", ".It Cm ");
  for (const std::string& command : words_behind("docs/commands.md", "## ")) {
    if (command == "Options") continue;
    INFO(command);
    CHECK(std::ranges::find(in_man_page, command) != in_man_page.end());
  }
}

TEST_CASE("decisions are numbered without a gap and listed", "[layout]") {
  std::string index;
  std::vector<std::string> decisions;
  for (const Source& source : all_sources()) {
    if (source.path == "docs/decisions/README.md") index = source.text;
    if (source.under("docs/decisions/0")) decisions.push_back(source.path.substr(15));
  }
  REQUIRE_FALSE(decisions.empty());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::string number = std::to_string(10001 + i).substr(1);
    INFO(decisions[i]);
    CHECK(decisions[i].starts_with(number + "-"));
    CHECK(index.find("(" + decisions[i] + ")") != std::string::npos);
  }
}

}  // namespace
}  // namespace notesdb::layout
