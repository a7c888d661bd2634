// Ranks: as bm25() gives them, but for how exactly the length of a row is known.
#include "sqlite/word_rank.h"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

namespace notesdb::sqlite {
namespace {

TEST_CASE("a length is known to within three percent by its code", "[search]") {
  CHECK(length_code(0) == 0);
  CHECK(length_code(std::size_t{1} << 40U) == 255);
  for (std::size_t words = 40; words < 50'000; words += words / 7) {
    CHECK(length_code(words) < length_code(words + words / 15));
    CHECK(length_code(words) <= length_code(words + 1));
  }
}

TEST_CASE("rows are worth to a question what bm25() says", "[search]") {
  Connection connection(":memory:");
  add_word_rank(connection, "word_rank", {10.0, 4.0, 1.0});
  connection.execute("CREATE VIRTUAL TABLE notes USING fts5(title, fields, body)");
  std::mt19937 random(3);
  const std::vector<std::string> some{"oak", "elm", "ash", "fir", "yew", "box", "bay", "fig"};
  for (std::int64_t row = 1; row <= 300; ++row) {
    std::size_t words = 0;
    const auto text = [&](std::size_t most) {
      std::string made;
      for (std::size_t count = random() % most; count > 0; --count, ++words)
        made += (random() % 3 == 0 ? some[random() % some.size()] : "tree") + " ";
      return made;
    };
    const std::string title = text(4);
    const std::string fields = text(8);
    const std::string body = text(200);
    connection.prepare("INSERT INTO notes(rowid, title, fields, body) VALUES (?, ?, ?, ?)")
        .bind(1, row * 256 + length_code(words))
        .bind(2, title)
        .bind(3, fields)
        .bind(4, body)
        .run();
  }
  for (const char* question : {"oak",
                               "oak AND elm",
                               "oak OR (fig AND tree)",
                               "title : oak",
                               "\"oak tree\" NOT yew",
                               "o* AND fields : tree"}) {
    INFO(question);
    Statement asked = connection.prepare(
        "SELECT word_rank(notes), bm25(notes, 10.0, 4.0, 1.0) FROM notes WHERE notes MATCH ?");
    asked.bind(1, question);
    int count = 0;
    for (; asked.step(); ++count)
      CHECK(std::abs(asked.real(0) - asked.real(1)) <= 0.03 * std::abs(asked.real(1)));
    CHECK(count > 0);
  }
}

}  // namespace
}  // namespace notesdb::sqlite
