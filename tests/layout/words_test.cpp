// The words of notesdb: messages, help, descriptions of tools and pages of docs use those of git, sqlite3
// and PostgreSQL.
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "layout/sources.h"

namespace notesdb::layout {
namespace {

struct Word {
  const char* pattern;
  const char* instead;
};

// Where a word of the field is the same as one of ours, its use tells them apart: "blank" is no word
// for a space, but lines are blank.
const std::vector<Word>& replaced_words() {
  static const std::vector<Word> words{
      {R"(\bmend(s|ed|ing)?\b)", "fix"},
      {R"(\b(the|our|of the) house\b)", "module, layer"},
      {R"(\bdoors?\b)", "interface"},
      {"one word too many", "unexpected argument"},
      {"mistake inside", "internal error"},
      {"takes no more", "cannot write"},
      {"senseless", "invalid value"},
      {R"(\bis no (row id|date|number)\b)", "is not a"},
      {"is given twice", "duplicate"},
      {R"(\bto take it back\b)", "undo with"},
      {"nothing to change", "no change"},
      {"like that already", "unchanged"},
      {R"(\bstands? against it\b)", "cannot be converted"},
      {"misfit", "invalid"},
      {"which is not entered", "not followed"},
      {R"(bytes that are read of)", "the limit is"},
      {"another number of rows", "exactly N rows"},
      {"not yet safe", "not durable"},
      {"next_offset goes on", "pass next_offset as offset"},
      {R"(\brow whole\b)", "complete row"},
      {"said at once", "errors list every problem"},
      {R"(\bby turns\b)", "interleaved"},
      {R"(\banew\b)", "again"},
      {"is at work", "is running"},
      {"foreign bytes", "unrelated bytes"},
      {R"(\bshall\b)", "must, should"},
      {"whose it is", "who it is for"},
      {"fails open", "mistakes are rejected"},
  };
  return words;
}

// What people read of a line of a source: its texts.
std::string texts_of(std::string_view line) {
  static const std::regex quoted(R"re("((?:[^"\\]|\\.)*)")re");
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || line.substr(first).starts_with("//")) return {};
  std::string texts;
  const std::string text(line);
  for (std::sregex_iterator found(text.begin(), text.end(), quoted), end; found != end; ++found)
    texts += (*found)[1].str() + "\n";
  return texts;
}

bool is_page(const Source& source) {
  if (source.path == "README.md") return true;
  // A decision is told in the words of its day.
  return source.under("docs/") && source.ends_with(".md") && !source.under("docs/decisions/");
}

}  // namespace

TEST_CASE("messages and pages use the words of the field", "[layout]") {
  struct Rule {
    std::regex pattern;
    const Word* word;
  };
  std::vector<Rule> rules;
  for (const Word& word : replaced_words())
    rules.push_back({std::regex(word.pattern, std::regex::icase), &word});
  std::size_t looked = 0;
  for (const Source& source : all_sources()) {
    const bool is_source = source.under("src/") && source.is_cpp();
    if (!is_source && !is_page(source)) continue;
    ++looked;
    const auto lines = source.lines();
    for (std::size_t number = 0; number < lines.size(); ++number) {
      const std::string text = is_source ? texts_of(lines[number]) : std::string(lines[number]);
      if (text.empty()) continue;
      for (const Rule& rule : rules) {
        INFO(place(source, number) << ": say '" << rule.word->instead << "'");
        CHECK_FALSE(std::regex_search(text, rule.pattern));
      }
    }
  }
  CHECK(looked > 300);
}

}  // namespace notesdb::layout
