// SQL over a workspace: what it can see, what it is refused, what bounds it.
#include "sql/sql.h"

#include <atomic>
#include <chrono>

#include <catch2/catch.hpp>

#include "core/budget.h"
#include "database/made_workspace.h"

namespace notesdb {
namespace {

using namespace std::chrono_literals;

class Made {
 public:
  Made() {
    made.write(
        "stories/_schema.md",
        "---\nname: Stories\ncolumns:\n  - {id: title, type: text}\n"
        "  - {id: points, type: number}\n  - {id: urgent, type: checkbox}\n"
        "  - {id: tags, type: list}\n  - {id: who, type: relation, target: team/people}\n---\n");
    made.write(
        "stories/s-2.md",
        "---\ntitle: Two\npoints: 3\nurgent: true\ntags: [a, b]\nwho: \"[[ann]]\"\n---\n\nBody\n");
    made.write("stories/s-10.md", "---\ntitle: Ten\npoints: 8\nwho: ben\n---\n");
    made.write("stories/s-1.md", "---\ntitle: One\npoints:\n---\n");
    made.write("team/people/_schema.md",
               "---\nname: People\ncolumns:\n  - {id: name, type: text}\n"
               "  - {id: id, type: text}\n---\n");
    made.write("team/people/ann.md", "---\nname: Ann\nid: x\n---\n");
    made.write("team/people/ben.md", "---\nname: Ben\n---\n");
  }

  Result<SqlAnswer> ask(const std::string& query, Map params = {}) {
    return run_sql(made.open(), {.query = query, .params = std::move(params)});
  }
  List rows(const std::string& query, Map params = {}) {
    const auto answer = ask(query, std::move(params));
    INFO(query << ": " << (answer ? "" : answer.error().message));
    REQUIRE(answer);
    return answer->rows;
  }
  std::string refused(const std::string& query, Map params = {}) {
    const auto answer = ask(query, std::move(params));
    INFO(query);
    REQUIRE_FALSE(answer);
    return answer.error().message;
  }

  MadeWorkspace made;
};

TEST_CASE("a database is a table, its rows in natural order", "[sql]") {
  Made made;
  const auto answer = made.ask("SELECT * FROM stories");
  REQUIRE(answer);
  CHECK(answer->columns ==
        std::vector<std::string>{"_id", "title", "points", "urgent", "tags", "who", "_body"});
  CHECK(answer->rows == List{List{"s-1", "One", Value(), Value(), Value(), Value(), Value()},
                             List{"s-2", "Two", 3, 1, "[\"a\",\"b\"]", "ann", "Body\n"},
                             List{"s-10", "Ten", 8, Value(), Value(), "ben", Value()}});
  CHECK(made.rows("SELECT rowid, id, row_id FROM stories WHERE _path = 'stories/s-10.md'") ==
        List{List{3, "s-10", "s-10"}});
  CHECK(made.rows("SELECT typeof(_modified), length(_modified) FROM STORIES LIMIT 1") ==
        List{List{"text", 20}});
}

TEST_CASE("names that are no identifiers are quoted, and a column wins over a hidden name",
          "[sql]") {
  Made made;
  CHECK(made.rows("SELECT s.title, p.name, p.id, p.row_id FROM stories s JOIN \"team/people\" p "
                  "ON s.who = p._id ORDER BY 1") ==
        List{List{"Ten", "Ben", Value(), "ben"}, List{"Two", "Ann", "x", "ann"}});
}

TEST_CASE("parameters have names or numbers, and all of them a value", "[sql]") {
  Made made;
  CHECK(made.rows("SELECT title FROM stories WHERE points > :least", Map{{"least", 3}}) ==
        List{List{"Ten"}});
  CHECK(made.rows("SELECT ?, ?2, ?", Map{{"1", "a"}, {"2", true}, {"3", List{1, "x"}}}) ==
        List{List{"a", 1, "[1,\"x\"]"}});
  CHECK(made.refused("SELECT :a, ?").find("the parameter ':a' has no value") == 0);
  CHECK(made.refused("SELECT :since", Map{{"since", 1}, {"sinse", 2}}).find("since") !=
        std::string::npos);
}

TEST_CASE("a column name is given once in an answer", "[sql]") {
  Made made;
  const auto answer = made.ask("SELECT a._id, b._id FROM stories a, stories b");
  REQUIRE(answer);
  CHECK(answer->columns == std::vector<std::string>{"_id", "_id_2"});
}

TEST_CASE("an answer stops where it is full and says so", "[sql]") {
  Made made;
  auto answer = run_sql(made.made.open(), {.query = "SELECT title FROM stories", .max_rows = 2});
  REQUIRE(answer);
  CHECK(answer->rows.size() == 2);
  CHECK(answer->has_more);
  answer = run_sql(made.made.open(), {.query = "SELECT title FROM stories", .max_rows = 3});
  REQUIRE(answer);
  CHECK_FALSE(answer->has_more);
  answer = run_sql(made.made.open(), {.query = "SELECT title FROM stories", .max_bytes = 5});
  REQUIRE(answer);
  CHECK(answer->rows.size() == 1);
  CHECK(answer->is_cut_by_bytes);
}

TEST_CASE("rows that cannot be read are counted, of the tables that a query names", "[sql]") {
  Made made;
  made.made.write("stories/bad.md", "---\ntitle: never closed\n");
  auto answer = made.ask("SELECT count(*) FROM stories");
  REQUIRE(answer);
  CHECK(answer->unreadable == 1);
  CHECK(answer->issues.size() == 1);
  CHECK(made.ask("SELECT count(*) FROM \"team/people\"")->unreadable == 0);
  made.made.write("stories/odd.md", "---\ntitle: x: y\npoints: 1\n---\n");
  answer = made.ask("SELECT points FROM stories WHERE _id = 'odd'");
  REQUIRE(answer);
  CHECK(answer->rows == List{List{1}});
  CHECK(answer->notice.find("1 row of stories has fields that cannot be read") == 0);
}

TEST_CASE("unknown names are refused with the nearest", "[sql]") {
  Made made;
  const auto table = made.ask("SELECT * FROM storys");
  REQUIRE_FALSE(table);
  CHECK(table.error().code == ErrorCode::unknown_database);
  CHECK(table.error().message.find("did you mean 'stories'?") != std::string::npos);
  const auto column = made.ask("SELECT s.titel FROM stories s");
  REQUIRE_FALSE(column);
  CHECK(column.error().code == ErrorCode::unknown_field);
  CHECK(column.error().message.find("did you mean 'title'?") != std::string::npos);
  CHECK(made.refused("  ").find("empty") != std::string::npos);
  CHECK(made.refused(".tables").find("notesdb sql --schema") != std::string::npos);
}

TEST_CASE("nothing is written, attached, loaded or read from a file", "[sql]") {
  Made made;
  made.rows("SELECT 1 FROM stories");
  const auto before = made.made.files();
  const std::string file = (made.made.root() / "evil.db").string();
  const std::vector<std::string> statements{
      "INSERT INTO stories VALUES ('x')",
      "INSERT INTO stories(title) VALUES ('x')",
      "REPLACE INTO stories(title) VALUES ('x')",
      "UPDATE stories SET title = 'x'",
      "UPDATE stories SET points = 1 WHERE _id = 's-1' RETURNING *",
      "DELETE FROM stories",
      "DELETE FROM stories RETURNING title",
      "WITH c AS (SELECT 1) DELETE FROM stories",
      "WITH c AS (SELECT 1) INSERT INTO stories(title) SELECT * FROM c",
      "CREATE TABLE x (a)",
      "CREATE TABLE x AS SELECT * FROM stories",
      "CREATE TEMP TABLE x (a)",
      "CREATE TEMP TABLE x AS SELECT 1",
      "CREATE VIEW x AS SELECT * FROM stories",
      "CREATE TEMP VIEW x AS SELECT 1",
      "CREATE INDEX x ON stories(title)",
      "CREATE TRIGGER x AFTER INSERT ON stories BEGIN SELECT 1; END",
      "CREATE TEMP TRIGGER x AFTER INSERT ON stories BEGIN SELECT 1; END",
      "CREATE VIRTUAL TABLE x USING fts5(a)",
      "CREATE VIRTUAL TABLE x USING stories",
      "CREATE VIRTUAL TABLE temp.x USING rtree(a, b, c)",
      "CREATE VIRTUAL TABLE x USING csv('/etc/passwd')",
      "DROP TABLE stories",
      "DROP VIEW stories",
      "DROP INDEX x",
      "ALTER TABLE stories ADD COLUMN x",
      "ALTER TABLE stories RENAME TO x",
      "ATTACH '" + file + "' AS x",
      "ATTACH DATABASE '/etc/passwd' AS x",
      "ATTACH ':memory:' AS x",
      "ATTACH 'file:" + file + "?mode=rwc' AS x",
      "DETACH main",
      "VACUUM",
      "VACUUM INTO '" + file + "'",
      "VACUUM main INTO '" + file + "'",
      "PRAGMA query_only = OFF",
      "PRAGMA writable_schema = ON",
      "PRAGMA temp_store_directory = '/tmp'",
      "PRAGMA journal_mode = DELETE",
      "PRAGMA database_list",
      "PRAGMA module_list",
      "PRAGMA hard_heap_limit = 0",
      "PRAGMA temp_store = FILE",
      "SELECT * FROM pragma_database_list",
      "SELECT * FROM pragma_module_list",
      "SELECT * FROM pragma_table_info('stories')",
      "SELECT * FROM pragma_function_list()",
      "SELECT * FROM sqlite_master",
      "SELECT * FROM sqlite_schema",
      "SELECT * FROM sqlite_temp_master",
      "SELECT * FROM dbstat",
      "SELECT * FROM sqlite_dbpage",
      "SELECT * FROM bytecode('SELECT 1')",
      "SELECT * FROM fts3tokenize('simple', 'x')",
      "SELECT load_extension('/tmp/x.so')",
      "SELECT load_extension('/tmp/x.so', 'main')",
      "SELECT LOAD_EXTENSION('x')",
      "SELECT readfile('/etc/passwd')",
      "SELECT writefile('" + file + "', 'x')",
      "SELECT edit('x')",
      "SELECT * FROM fsdir('/')",
      "SELECT fts3_tokenizer('x')",
      "SELECT fts5(NULL)",
      "SELECT sqlite_log(1, 'x')",
      "BEGIN",
      "BEGIN IMMEDIATE",
      "COMMIT",
      "ROLLBACK",
      "SAVEPOINT x",
      "RELEASE x",
      "REINDEX",
      "ANALYZE",
      "SELECT 1; DELETE FROM stories",
      "SELECT 1; SELECT 2",
      "SELECT 1; ATTACH '" + file + "' AS x",
      "/* SELECT */ DELETE FROM stories",
      "-- SELECT\nDROP TABLE stories",
      ".read /etc/passwd",
      ".open " + file,
      ".shell touch " + file,
  };
  CHECK(statements.size() >= 50);
  for (const std::string& statement : statements) {
    INFO(statement);
    const auto answer = made.ask(statement);
    CHECK_FALSE(answer);
    if (!answer) CHECK(answer.error().code != ErrorCode::internal);
    CHECK(made.made.files() == before);
  }
  CHECK_FALSE(made.made.has_trace());
  CHECK(made.refused("ATTACH 'x' AS y").find("ATTACH is refused") == 0);
  CHECK(made.refused("SELECT 1; SELECT 2").find("only one SELECT") == 0);
  CHECK(made.rows("SELECT 1; -- and no more\n ;") == List{List{1}});
}

// What stands between a question and its end.
ErrorCode stopped(Made& made, const std::string& query, const Budget::Limits& limits) {
  const Budget budget(limits);
  try {
    const auto answer = run_sql(made.made.open(), {.query = query, .max_memory = limits.memory});
    INFO(query);
    REQUIRE_FALSE(answer);
    return answer.error().code;
  } catch (const BudgetSpent& spent) {
    return spent.error().code;
  }
}

TEST_CASE("a query that does not end is stopped in time", "[sql]") {
  Made made;
  const std::vector<std::string> endless{
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100000000), "
      "d AS (SELECT 1 FROM c, c b, c e) SELECT count(*) FROM d, stories",
  };
  for (const std::string& query : endless) {
    INFO(query);
    const auto begun = std::chrono::steady_clock::now();
    CHECK(stopped(made, query, {.time = 100ms}) == ErrorCode::limit_exceeded);
    CHECK(std::chrono::steady_clock::now() - begun < 5s);
  }
  const std::atomic<bool> cancelled = true;
  CHECK(stopped(made, endless.front(), {.cancelled = &cancelled}) == ErrorCode::cancelled);
}

TEST_CASE("a query that takes much memory is stopped, and the next one runs", "[sql]") {
  Made made;
  const std::string numbers =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 10000000) ";
  const std::vector<std::string> hungry{
      numbers + "SELECT n FROM c ORDER BY -n",
      numbers + "SELECT group_concat(n) FROM c",
      numbers + "SELECT json_group_array(n) FROM c",
      numbers + "SELECT count(DISTINCT n) FROM c",
      numbers + "SELECT printf('%.1000c', 'x') FROM c",
      numbers + "SELECT sum(length(zeroblob(20000000))) OVER () FROM c",
      "SELECT hex(zeroblob(30000000))",
      "SELECT printf('%.*c', 1000000000, 'x')",
  };
  for (const std::string& query : hungry) {
    INFO(query);
    const auto code = stopped(made, query, {.time = 60s, .memory = 8 << 20});
    CHECK((code == ErrorCode::limit_exceeded || code == ErrorCode::invalid_argument));
    CHECK(made.rows("SELECT count(*) FROM stories") == List{List{3}});
  }
}

TEST_CASE("tables and columns are listed as a query may name them", "[sql]") {
  Made made;
  const auto tables = sql_tables(made.made.open());
  REQUIRE(tables);
  const auto has = [&](const Map& column) {
    return std::ranges::find(tables->columns, column) != tables->columns.end();
  };
  CHECK(has(Map{{"table", "stories"},
                {"column", "who"},
                {"type", "TEXT"},
                {"references", "team/people._id"}}));
  CHECK(has(Map{{"table", "stories"}, {"column", "id"}, {"type", "TEXT"}, {"hidden", true}}));
  CHECK(has(Map{{"table", "team/people"}, {"column", "id_2"}, {"type", "TEXT"}, {"hidden", true}}));
}

}  // namespace
}  // namespace notesdb
