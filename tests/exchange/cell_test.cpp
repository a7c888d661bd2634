// Cells and separated text: what is written is read back as it was.
#include "exchange/cell.h"

#include <random>

#include <catch2/catch.hpp>

#include "exchange/separated.h"
#include "exchange/sheet.h"

namespace notesdb {
namespace {

Column column_of(ColumnType type) {
  Column column;
  column.id = "c";
  column.type = type;
  column.type_name = name_of(type);
  return column;
}

TEST_CASE("a list in a cell is the same list again", "[exchange]") {
  const Column list = column_of(ColumnType::list);
  for (const auto& items : std::vector<std::vector<std::string>>{{"a"},
                                                                 {"a", "b c"},
                                                                 {"a,b"},
                                                                 {" a "},
                                                                 {""},
                                                                 {},
                                                                 {"[x"},
                                                                 {"[1]"},
                                                                 {"[[row-1]]", "[[row-2|two]]"},
                                                                 {"\"q\"", "l\nm"}}) {
    const Value value = Value::list_of(items);
    INFO(text_of_cell(value));
    CHECK(value_of_cell(&list, text_of_cell(value)) == value);
  }
  CHECK(text_of_cell(Value::list_of({"a", "b c"})) == "a,b c");
  CHECK(value_of_cell(&list, "a , b,") == Value::list_of({"a", "b"}));
}

TEST_CASE("a json column keeps kinds apart in a cell", "[exchange]") {
  const Column json = column_of(ColumnType::json);
  for (const Value& value : List{1,
                                 1.5,
                                 true,
                                 "text",
                                 "12",
                                 "true",
                                 "[1]",
                                 "\"quoted\"",
                                 List{1, 2},
                                 List{"a", Value()},
                                 Map{{"k", List{}}}}) {
    INFO(to_display(value));
    CHECK(value_of_cell(&json, text_of_cell(for_cell(json, value))) == value);
  }
  CHECK(text_of_cell(for_cell(json, "text")) == "text");
}

TEST_CASE("what a spreadsheet would run is known, and numbers are not", "[exchange]") {
  for (const char* text : {"=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "-1+1", "+49 30"})
    CHECK(runs_in_spreadsheet(text));
  for (const char* text : {"", "a", "-5", "+7", "-1.5e3", "a=b", " =1", "12-3"})
    CHECK_FALSE(runs_in_spreadsheet(text));
}

TEST_CASE("CSV tells nothing from an empty text, and defuses on request", "[exchange]") {
  const Sheet sheet{{"a", "=b"}, {{Value(), ""}, {"=1+1", -5}, {"x,\"y\"\r\nz", List{"p", "q"}}}};
  CHECK(write_csv(sheet) == "a,=b\r\n,\"\"\r\n=1+1,-5\r\n\"x,\"\"y\"\"\r\nz\",\"p,q\"\r\n");
  CHECK(write_csv(sheet, {';', Formulas::defused}) ==
        "a;'=b\r\n;\"\"\r\n'=1+1;-5\r\n\"x,\"\"y\"\"\r\nz\";p,q\r\n");
  // A lone empty cell would be an empty line, which is no record.
  CHECK(write_csv({{"a"}, {{Value()}}}) == "a\r\n\"\"\r\n");
}

std::string random_text(std::mt19937& random) {
  constexpr std::string_view characters = "ab,;\"'\r\n\t\\ =\xC3\xA9";
  std::string text;
  for (auto count = random() % 6; count > 0; --count) {
    const char c = characters[random() % characters.size()];
    text += c == '\xC3' || c == '\xA9' ? std::string("é") : std::string(1, c);
  }
  return text;
}

TEST_CASE("any table is the same table after CSV and after TSV", "[exchange]") {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same on every run
  for (int round = 0; round < 300; ++round) {
    Sheet sheet{{"one", "two", "three"}, {}};
    for (int row = 0; row < 4; ++row)
      sheet.rows.push_back({random_text(random), random_text(random), random_text(random)});
    const std::string csv = write_csv(sheet, {';'});
    INFO(csv);
    const SeparatedText read = read_csv(csv, ';');
    REQUIRE(read.issues.empty());
    REQUIRE(read.records.size() == sheet.rows.size() + 1);
    const SeparatedText tsv = read_tsv(write_tsv(sheet));
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) {
      for (std::size_t cell = 0; cell < 3; ++cell) {
        CHECK(read.records[row + 1].cells[cell].text == sheet.rows[row][cell].text());
        CHECK(tsv.records[row + 1].cells[cell].text == sheet.rows[row][cell].text());
      }
    }
  }
}

std::vector<std::string> cells_of(const SeparatedRecord& record) {
  std::vector<std::string> texts;
  for (const SeparatedCell& cell : record.cells)
    texts.push_back(cell.quoted ? "\"" + cell.text : cell.text);
  return texts;
}

TEST_CASE("CSV is read as other programs write it", "[exchange]") {
  using Texts = std::vector<std::string>;
  const auto read = [](std::string_view text) { return read_csv(text, ','); };
  const SeparatedText mixed = read("\xEF\xBB\xBFid,t\r\n1,\"a\r\nb\"\n\r2,\"\"\r3,5\" disk");
  REQUIRE(mixed.issues.empty());
  REQUIRE(mixed.records.size() == 4);
  CHECK(cells_of(mixed.records[0]) == Texts{"id", "t"});
  CHECK(cells_of(mixed.records[1]) == Texts{"1", "\"a\r\nb"});
  CHECK(cells_of(mixed.records[2]) == Texts{"2", "\""});
  CHECK(cells_of(mixed.records[3]) == Texts{"3", "5\" disk"});
  CHECK(mixed.records[2].line == 5);
  CHECK(read("a,b\n1,\n").records[1].cells.size() == 2);
  CHECK(read("").records.empty());
}

TEST_CASE("broken CSV is named by its line, and reading goes on", "[exchange]") {
  const SeparatedText read = read_csv("a,b\n1,\"x\" y\n2,z\n3,\"open\n4,w\n", ',');
  REQUIRE(read.issues.size() == 2);
  CHECK(read.issues[0].line == 2);
  CHECK(read.issues[1].line == 4);
  CHECK(read.records.size() == 4);
}

}  // namespace
}  // namespace notesdb
