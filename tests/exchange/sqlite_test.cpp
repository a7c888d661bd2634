// SQLite files: what an export makes, what an import reads, and where files may be made.
#include <chrono>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "exchange/export.h"
#include "exchange/import.h"
#include "exchange/output_file.h"
#include "sqlite/connection.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;

class SqliteScratch {
 public:
  SqliteScratch() {
    made.write("people/_schema.md", "---\nname: People\ncolumns: [{id: name, type: text}]\n---\n");
    made.write("people/ann.md", "---\nname: Ann\n---\n");
    made.write("t/_schema.md",
               "---\nname: T\ncolumns:\n  - {id: title, type: text, unique: true}\n"
               "  - {id: Title, type: text, unique: true}\n  - {id: n, type: number}\n"
               "  - {id: ok, type: checkbox}\n  - {id: tags, type: list}\n"
               "  - {id: who, type: relation, target: people}\n---\n");
    made.write("t/row-2.md",
               "---\ntitle: one\nTitle: same\nn: 1.5\nok: true\ntags: [a, \"b, c\"]\n"
               "who: \"[[people/ann|her]]\"\n---\n\nBody\n");
    made.write("t/row-10.md", "---\ntitle: two\nTitle: same\nn: 3\nok: false\ntags: []\n---\n");
  }

  std::string path(const std::string& name) const {
    return (std::filesystem::path(folder_.path()) / name).string();
  }

  SqliteNotes write(const std::string& name, Lists lists) {
    auto rows = export_rows(made.database("t"), {.limit = 100});
    REQUIRE(rows);
    const auto notes = write_sqlite({{"t", *std::move(rows)}}, lists, path(name));
    REQUIRE(notes);
    return *notes;
  }

  List told(const std::string& name, const std::string& sql) const {
    sqlite::Connection file(path(name), sqlite::Opening::read_only);
    sqlite::Statement statement = file.prepare(sql);
    List values;
    while (statement.step())
      for (int column = 0; column < statement.column_count(); ++column)
        values.push_back(statement.value(column));
    return values;
  }

  MadeWorkspace made;

 private:
  TemporaryFolder folder_;
};

TEST_CASE("an SQLite export has types, rows in order, and an index where values are unique",
          "[exchange]") {
  SqliteScratch scratch;
  const SqliteNotes notes = scratch.write("t.db", Lists::json);
  CHECK(scratch.told("t.db", "SELECT _id, n, ok, tags, who FROM t") ==
        List{"row-2", 1.5, 1, "[\"a\",\"b, c\"]", "ann", "row-10", 3, 0, "[]", Value()});
  CHECK(scratch.told("t.db",
                     "SELECT name, \"unique\" FROM pragma_index_list('t') WHERE origin = 'c'"
                     " ORDER BY name") == List{"t.Title_2 unique", 0, "t.title unique", 1});
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().find("Title of t is declared unique") == 0);
  CHECK(scratch.told("t.db", "SELECT group_concat(type) FROM pragma_table_info('t')") ==
        List{"TEXT,TEXT,TEXT,NUMERIC,BOOLEAN,JSON,TEXT,TEXT"});
}

TEST_CASE("lists may be rows of tables of their own", "[exchange]") {
  SqliteScratch scratch;
  scratch.write("t.db", Lists::tables);
  CHECK(scratch.told("t.db", "SELECT * FROM \"t.tags\"") ==
        List{"row-2", 0, "a", "row-2", 1, "b, c"});
  CHECK(scratch.told("t.db", "SELECT count(*) FROM pragma_table_info('t') WHERE name = 'tags'") ==
        List{0});
}

TEST_CASE("a table of SQLite becomes the database that it was made of", "[exchange]") {
  SqliteScratch scratch;
  scratch.write("t.db", Lists::json);
  const auto source = read_sqlite_source(scratch.path("t.db"), "");
  REQUIRE(source);
  const ImportRequest request{
      .database_id = "again", .create = true, .names = {{"Title_2", "Title"}}};
  const auto answer = import_rows(scratch.made.open(), *source, request, WriteMode::write);
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  REQUIRE(answer->issues.empty());
  const auto before = export_rows(scratch.made.database("t"), {.limit = 10});
  const auto after = export_rows(scratch.made.database("again"), {.limit = 10});
  REQUIRE(after);
  Sheet expected = before->sheet;
  expected.rows[0][6] = "ann";  // the row that the link named
  CHECK(after->sheet.columns == expected.columns);
  CHECK(after->sheet.rows == expected.rows);
}

TEST_CASE("what is no SQLite file, or not its table, is said", "[exchange]") {
  SqliteScratch scratch;
  std::ofstream(scratch.path("no.db")) << "this is not a database, however long the text may be";
  CHECK(read_sqlite_source(scratch.path("no.db"), "").error().code == ErrorCode::io_error);
  CHECK_FALSE(read_sqlite_source(scratch.path("missing.db"), ""));
  CHECK_FALSE(fs::exists(scratch.path("missing.db")));
  scratch.write("t.db", Lists::tables);
  CHECK(read_sqlite_source(scratch.path("t.db"), "").error().message.find("t, t.tags") !=
        std::string::npos);
  CHECK(read_sqlite_source(scratch.path("t.db"), "T").error().message.find("'t'") !=
        std::string::npos);
}

TEST_CASE("a file is made wholly or not at all, and never over another", "[exchange]") {
  SqliteScratch scratch;
  Workspace& workspace = scratch.made.open();
  const std::string path = scratch.path("out.csv");
  const auto first = OutputFile::plan(path, Overwrite::no, workspace);
  REQUIRE(first);
  CHECK_FALSE(first->write([](const std::string& made) -> Result<void> {
    std::ofstream(made) << "half";
    return Error{ErrorCode::io_error, "no", Map{}};
  }));
  CHECK(fs::is_empty(fs::path(path).parent_path()));
  REQUIRE(first->write("one\n"));
  CHECK(OutputFile::plan(path, Overwrite::no, workspace).error().code == ErrorCode::already_exists);
  // Made by somebody else after it was planned.
  CHECK_FALSE(first->write("two\n"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  const auto again = OutputFile::plan(path, Overwrite::yes, workspace);
  REQUIRE(again);
  REQUIRE(again->write("three\n"));
  CHECK(fs::file_size(path) == 6);
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("no export becomes a row, a schema or a device", "[exchange]") {
  SqliteScratch scratch;
  Workspace& workspace = scratch.made.open();
  const auto refused = [&](const std::string& path) {
    const auto file = OutputFile::plan(path, Overwrite::yes, workspace);
    INFO(path);
    REQUIRE_FALSE(file);
    return file.error().code;
  };
  const std::string root = scratch.made.root().string();
  CHECK(refused(root + "/t/out.md") == ErrorCode::path_not_allowed);
  CHECK(refused(root + "/t/row-2.md") == ErrorCode::path_not_allowed);
  CHECK(refused(root + "/t/out.yaml") == ErrorCode::path_not_allowed);
  CHECK(refused(root + "/t/_schema.md") == ErrorCode::path_not_allowed);
  CHECK(refused("/dev/null") == ErrorCode::path_not_allowed);
  CHECK(refused(root) == ErrorCode::path_not_allowed);
  CHECK(refused(root + "/nowhere/out.csv") == ErrorCode::io_error);
  fs::create_symlink(root + "/t/row-2.md", scratch.path("link.md"));
  CHECK(refused(scratch.path("link.md")) == ErrorCode::path_not_allowed);
  CHECK(OutputFile::plan(root + "/t/out.csv", Overwrite::no, workspace));
  CHECK(OutputFile::plan(root + "/out.md", Overwrite::no, workspace));
}

TEST_CASE("a view without end is an error and takes neither time nor memory", "[exchange]") {
  const SqliteScratch scratch;
  const auto reading = [&](const std::string& name, const std::string& select) {
    sqlite::Connection(scratch.path(name))
        .execute(
            "CREATE VIEW v(a) AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM "
            "n) " +
            select);
    return read_sqlite_source(scratch.path(name), "", std::chrono::milliseconds(300));
  };
  const auto begun = std::chrono::steady_clock::now();
  const auto silent = reading("silent.db", "SELECT x FROM n WHERE x < 0");
  REQUIRE_FALSE(silent);
  CHECK(silent.error().code == ErrorCode::io_error);
  CHECK(silent.error().message.find("do not end within 300 ms") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
  CHECK_FALSE(reading("many.db", "SELECT x FROM n"));
  const auto large = reading("large.db", "SELECT printf('%.*c', 20000000, 'x') FROM n");
  REQUIRE_FALSE(large);
  CHECK(large.error().message.find("more than 256 MiB of rows") != std::string::npos);
  CHECK(reading("whole.db", "SELECT x FROM n LIMIT 3")->records.size() == 3);
}

}  // namespace
}  // namespace notesdb
