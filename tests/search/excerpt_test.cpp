// Excerpts: as SQLite's snippet() cuts them, in time that grows with the text.
#include "search/excerpt.h"

#include <array>
#include <chrono>
#include <random>

#include <catch2/catch.hpp>

#include "search/words.h"
#include "sqlite/connection.h"

namespace notesdb::search {
namespace {

std::string excerpt(const std::vector<std::string>& texts, const std::vector<Phrase>& phrases) {
  return excerpt_of(texts, phrases);
}

TEST_CASE("an excerpt is what snippet() gives", "[excerpt]") {
  sqlite::Connection connection(":memory:");
  connection.execute(
      "CREATE VIRTUAL TABLE notes USING fts5(a, b, tokenize = 'unicode61 remove_diacritics 2')");
  std::mt19937 random(11);
  const std::vector<std::string> some{"one",
                                      "Two",
                                      "three",
                                      "naïve",
                                      "five",
                                      "six",
                                      "seven",
                                      "Tea",
                                      "and",
                                      "so",
                                      "on",
                                      "many",
                                      "more"};
  const std::vector<std::string> between{" ", " ", " ", ". ", ", ", "\n", ": ", " - "};
  const auto text = [&](std::size_t count) {
    std::string made;
    for (std::size_t i = 0; i < count; ++i)
      made += some[random() % some.size()] + between[random() % between.size()];
    return made;
  };
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    const std::array texts{text(random() % 20), text(random() % 90)};
    const std::string first = some[random() % some.size()];
    const std::string second = some[random() % some.size()];
    const bool is_phrase = random() % 3 == 0;
    const std::string question = is_phrase
                                     ? "\"" + first + " " + second + "\""
                                     : "\"" + first + "\" AND \"" + second.substr(0, 2) + "\"*";
    connection.execute("DELETE FROM notes");
    connection.prepare("INSERT INTO notes VALUES (?, ?)").bind(1, texts[0]).bind(2, texts[1]).run();
    std::vector<Phrase> phrases;
    const auto folded = [&](const std::string& word) {
      std::string found;
      split_words(word, [&](std::string_view one, std::size_t, std::size_t) {
        found = one;
        return true;
      });
      return found;
    };
    if (is_phrase) {
      phrases = {{{folded(first), folded(second)}}};
    } else {
      phrases = {{{folded(first)}}, {{folded(second).substr(0, 2)}, true}};
    }
    INFO(texts[0] << "\n----\n" << texts[1] << "\n----\n" << question);
    for (int column = 0; column < 2; ++column) {
      // A text of its own: snippet() takes words from other columns where one has none.
      auto asked = connection.prepare("SELECT snippet(notes, " + std::to_string(column) +
                                      ", '**', '**', '…', 16) FROM notes WHERE notes MATCH ?");
      asked.bind(1, question);
      if (!asked.step() || asked.text(0).find("**") == std::string::npos) continue;
      CHECK(excerpt({texts[static_cast<std::size_t>(column)]}, phrases) == asked.text(0));
      ++compared;
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("of a long text the part around the first hit is shown", "[excerpt]") {
  std::string text;
  for (int i = 0; i < 200'000; ++i)
    text += "filling ";
  text += "the open house of the Lantern makers. ";
  for (int i = 0; i < 200'000; ++i)
    text += "behind ";
  const std::string shown = excerpt({"Title", text}, {{{"lantern"}}});
  CHECK(shown.find("the open house of the **Lantern** makers. behind") != std::string::npos);
  CHECK(shown.starts_with("…"));
  CHECK(shown.ends_with("…"));
}

TEST_CASE("an excerpt is short, whatever its words are", "[excerpt]") {
  const std::string shown = excerpt({std::string(5'000'000, 'a') + " b"}, {{{"b"}}});
  CHECK(shown.size() < 3'000);
  CHECK(excerpt({"b" + std::string(5'000'000, ' ') + "b"}, {{{"b"}}}).size() < 3'000);
  const std::string dots = excerpt({[] {
                                     std::string text = "b";
                                     for (int i = 0; i < 5'000; ++i)
                                       text += "·";
                                     return text;
                                   }()},
                                   {{{"b"}}});
  CHECK(dots.size() < 3'000);
  CHECK(excerpt({"no hit here", "none"}, {{{"b"}}}).empty());
}

TEST_CASE("an excerpt is of the text with the most of what was asked", "[excerpt]") {
  CHECK(excerpt({"one", "two and one"}, {{{"one"}}}) == "**one**");
  CHECK(excerpt({"one. One.", "two and one"}, {{{"one"}}, {{"two"}}}) == "**two** and **one**");
}

TEST_CASE("an excerpt of a text without spaces has 48 characters", "[excerpt]") {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "東";
  text += "京";
  for (int i = 0; i < 100; ++i)
    text += "港";
  const std::string shown = excerpt({text}, {{{"京"}}});
  CHECK(shown.find("東**京**港") != std::string::npos);
  CHECK(shown.size() == 48 * 3 + 4 + 2 * std::string("…").size());
}

TEST_CASE("two words of the same bytes are marked once", "[excerpt]") {
  CHECK(excerpt({"a ½ cup"}, {{{"1"}}, {{"2"}}}) == "a **½** cup");
}

TEST_CASE("a text of one word costs as much as its length", "[excerpt]") {
  std::string text;
  while (text.size() < std::size_t{8} << 20U)
    text += "lantern ";
  const auto begun = std::chrono::steady_clock::now();
  CHECK(excerpt({text}, {{{"lantern"}}}).starts_with("**lantern** **lantern**"));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
}

}  // namespace
}  // namespace notesdb::search
