// The law of SQL: whatever is asked, a query gives what SQLite gives over an export of the rows.
//
// A short dose here; NOTESDB_SQL_QUESTIONS in the environment sets another number of questions and
// NOTESDB_SQL_SEED where they begin, as `ninja sql_long` does.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "exchange/export.h"
#include "json/json_value.h"
#include "sql/random_select.h"
#include "sql/sql.h"
#include "sql/sql_table.h"
#include "sqlite/connection.h"

namespace notesdb {
namespace {

using Texts = std::vector<std::string>;

class MadeRows {
 public:
  explicit MadeRows(unsigned seed) : random_(seed) {
    made.write("t/_schema.md",
               "---\nname: T\ncolumns:\n  - {id: title, type: text}\n  - {id: Title, type: text}\n"
               "  - {id: n, type: number}\n  - {id: ok, type: checkbox}\n"
               "  - {id: due, type: date}\n"
               "  - {id: kind, type: select, options: [bug, Task, idea]}\n"
               "  - {id: tags, type: multi-select, options: [red, Green, blue]}\n"
               "  - {id: who, type: relation, target: people}\n  - {id: meta, type: json}\n"
               "  - {id: years, type: rollup, relation: who, field: age, function: max}\n"
               "  - {id: order, type: text}\n---\n");
    made.write("people/_schema.md",
               "---\nname: People\ncolumns:\n  - {id: name, type: text, unique: true}\n"
               "  - {id: age, type: number}\n  - {id: boss, type: relation, target: people}\n"
               "  - {id: n, type: number}\n---\n");
    made.write("my-db/_schema.md",
               "---\nname: Mine\ncolumns:\n  - {id: id, type: text}\n  - {id: title, type: text}\n"
               "  - {id: n, type: text}\n  - {id: at, type: datetime}\n---\n");
    for (int i = 1; i <= 60; ++i)
      made.write("t/t-" + std::to_string(i) + ".md", row_of_t());
    for (int i = 1; i <= 12; ++i)
      made.write("people/p" + std::string(i % 3 == 0 ? "-" : "") + std::to_string(i) + ".md",
                 row_of_people(i));
    for (int i = 1; i <= 25; ++i)
      made.write("my-db/" + std::to_string(i) + ".md", row_of_mine());
  }

  void export_to(const std::string& path) {
    std::vector<SqliteTable> tables;
    for (const char* id : {"t", "people", "my-db"}) {
      auto rows = export_rows(made.database(id), {.limit = 1000});
      REQUIRE(rows);
      tables.push_back({id, *std::move(rows)});
    }
    REQUIRE(write_sqlite(tables, Lists::json, path));
  }

  MadeWorkspace made;

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string one_of(const Texts& texts) { return texts[below(texts.size())]; }

  std::string field(const std::string& name, const std::string& value) {
    if (chance(15)) return "";
    return name + ":" + (chance(8) ? std::string() : " " + value) + "\n";
  }
  std::string text() {
    return one_of({"alpha",
                   "Beta",
                   "beta",
                   "BETA",
                   "gamma delta",
                   "\"7\"",
                   "\"7.0\"",
                   "\" 7\"",
                   "\"\"",
                   "\"10\"",
                   "\"9\"",
                   "\"~\"",
                   "\"!x\"",
                   "a%b_c",
                   "p1",
                   "\"1e3\"",
                   "Ünï"});
  }
  std::string number() {
    static const Texts odd{"seven",
                           "\"7\"",
                           "\"7.0\"",
                           "\" 7\"",
                           "true",
                           "9223372036854775807",
                           "123456789012345678901234567890",
                           "1e3",
                           "7.0",
                           "[1, 2]",
                           "0x10"};
    if (chance(15)) return one_of(odd);
    const int quarters = static_cast<int>(below(41)) - 20;
    return quarters % 4 == 0 ? std::to_string(quarters / 4) : to_json(quarters / 4.0);
  }
  std::string date() {
    return one_of(
        {"2026-05-14", "2026-05-20", "2025-12-31", "2026", "soon", "\"2026-05-14 10:00\""});
  }
  std::string person() {
    return one_of({"p1", "p2", "p-3", "\"[[p4]]\"", "\"[[people/p5|Eve]]\"", "nobody", "7"});
  }
  std::string row_of_t() {
    return "---\n" + field("title", text()) + field("Title", text()) + field("n", number()) +
           field("ok", one_of({"true", "false", "maybe", "1"})) + field("due", date()) +
           field("kind", one_of({"bug", "Task", "idea", "odd"})) +
           field("tags", one_of({"[red]", "[red, Green]", "[]", "blue", "[\"1\"]", "7"})) +
           field("who", person()) +
           field("meta",
                 one_of({"{a: 1, b: [x]}", "12", "\"12\"", "text", "[1, 2]", "1.5", "true"})) +
           field("order", text()) + "---\n" + one_of({"", "\nA body\n", "\nAnother\n\nlonger\n"});
  }
  std::string row_of_people(int number) {
    return "---\nname: Person " + std::to_string(number) + "\n" +
           field("age", std::to_string(20 + number)) + field("boss", person()) +
           field("n", this->number()) + "---\n";
  }
  std::string row_of_mine() {
    return "---\n" + field("id", text()) + field("title", text()) + field("n", number()) +
           field("at", one_of({"2026-05-14T10:00:00", "2026-05-14", "2026-05-14T08:30:00Z"})) +
           "---\n";
  }

  std::mt19937 random_;
};

// Numbers as they compare, whatever they are kept as, and in as many digits as sums agree in.
std::string told(const Value& value) {
  if (!value.is_number()) return to_json(value);
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value.number());
  return text;
}

struct Told {
  std::vector<std::string> rows;
  Texts columns;
  std::string error;
};

Told told_by_notesdb(Workspace& workspace, const std::string& sql) {
  Told told_rows;
  const auto answer = run_sql(workspace, {.query = sql});
  if (!answer) {
    told_rows.error = answer.error().message;
    return told_rows;
  }
  told_rows.columns = answer->columns;
  for (const Value& row : answer->rows) {
    std::string line;
    for (const Value& cell : row.list())
      line += told(cell) + "|";
    told_rows.rows.push_back(std::move(line));
  }
  return told_rows;
}

Told told_by_sqlite(const sqlite::Connection& file, const std::string& sql) {
  Told told_rows;
  try {
    sqlite::Statement statement = file.prepare(sql);
    for (int column = 0; column < statement.column_count(); ++column)
      told_rows.columns.push_back(statement.column_name(column));
    told_rows.columns = unique_sql_names(told_rows.columns);
    while (statement.step()) {
      std::string line;
      for (int column = 0; column < statement.column_count(); ++column)
        line += told(statement.is_blob(column) ? Value(statement.blob_text(column))
                                               : statement.value(column)) +
                "|";
      told_rows.rows.push_back(std::move(line));
    }
  } catch (const sqlite::Failure& failure) {
    told_rows.error = failure.what();
  }
  return told_rows;
}

int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Whether the answer, which must be the same, has rows.
bool agree(Workspace& workspace, const sqlite::Connection& file, const RandomSelect& select) {
  INFO(select.sql);
  Told here = told_by_notesdb(workspace, select.sql);
  Told there = told_by_sqlite(file, select.sql);
  INFO("error here: " << here.error << "; error there: " << there.error);
  CHECK(here.error.empty() == there.error.empty());
  if (!here.error.empty() || !there.error.empty()) return false;
  CHECK(here.columns == there.columns);
  if (!select.is_ordered) {
    std::ranges::sort(here.rows);
    std::ranges::sort(there.rows);
  }
  CHECK(here.rows == there.rows);
  return !there.rows.empty();
}

TEST_CASE("what SQLite asks a virtual table is not always what the query asks", "[sql]") {
  MadeRows rows(7);
  TemporaryFolder folder;
  const std::string path = (std::filesystem::path(folder.path()) / "rows.db").string();
  rows.export_to(path);
  const sqlite::Connection file(path, sqlite::Opening::read_only);
  // A condition on the left table in the ON of a LEFT JOIN; an IN between columns of different
  // affinities; a comparison of them; another collation; a limit after an order with ties.
  for (const char* sql :
       {"SELECT * FROM \"my-db\" a LEFT JOIN t j ON a.at = j._id AND a.title IS NOT NULL",
        "SELECT a._id FROM t a WHERE a.title IN (SELECT n FROM t)",
        "SELECT a._id FROM t a WHERE a.title IN (7, '9', NULL)",
        "SELECT a._id FROM t a WHERE (a.title, a.Title_2) IN (SELECT n, title FROM \"my-db\")",
        "SELECT a._id, b._id FROM t a JOIN t b ON a.title = b.n",
        "SELECT a._id, b._id FROM t a JOIN t b ON a.title < b.n",
        "SELECT a._id FROM t a WHERE a.title = 'beta' COLLATE NOCASE",
        "SELECT a._id FROM t a WHERE a.n > 'seven' OR a.n < ' 7'"})
    agree(rows.made.open(), file, {sql, false});
  for (const char* sql :
       {"SELECT _id FROM t ORDER BY kind DESC, _id LIMIT 7",
        "SELECT _id FROM t ORDER BY rowid DESC LIMIT 7",
        "SELECT _id FROM t WHERE n > 1 ORDER BY n, title DESC, _id LIMIT 9 OFFSET 3"})
    CHECK(agree(rows.made.open(), file, {sql, true}));
}

TEST_CASE("SQL over the rows gives what SQLite gives over an export", "[sql]") {
  const int questions = number_in_environment("NOTESDB_SQL_QUESTIONS", 300);
  const auto seed = static_cast<unsigned>(number_in_environment("NOTESDB_SQL_SEED", 1));
  TemporaryFolder folder;
  constexpr int questions_of_rows = 150;
  int with_rows = 0;
  std::optional<MadeRows> rows;
  std::optional<sqlite::Connection> file;
  std::mt19937 random(seed);
  for (int question = 0; question < questions; ++question) {
    if (question % questions_of_rows == 0) {
      rows.emplace(seed + static_cast<unsigned>(question));
      const std::string path =
          (std::filesystem::path(folder.path()) / (std::to_string(question) + ".db")).string();
      rows->export_to(path);
      file.emplace(path, sqlite::Opening::read_only);
    }
    const RandomSelect select = SelectMaker(random).make();
    INFO("question " << question);
    with_rows += agree(rows->made.open(), *file, select) ? 1 : 0;
  }
  // Questions that find nothing would agree about anything.
  CHECK(with_rows > questions / 2);
}

}  // namespace
}  // namespace notesdb
