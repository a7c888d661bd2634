// Import: what becomes of records, and what is said of those that cannot become rows.
#include "exchange/import.h"

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "exchange/export.h"
#include "exchange/sheet.h"

namespace notesdb {
namespace {

constexpr std::string_view book_schema =
    "---\nname: Books\ncolumns:\n"
    "  - {id: title, type: text, required: true}\n"
    "  - {id: isbn, type: text, unique: true}\n"
    "  - {id: rating, type: number, max: 10, name: My rating}\n"
    "  - {id: tags, type: list}\n"
    "  - {id: after, type: relation, target: books}\n"
    "next_row_id: 1\n---\n";

void make_books(const MadeWorkspace& made) {
  made.write("books/_schema.md", book_schema);
}

Source csv(std::string_view text) {
  return read_csv_source("in.csv", text, ',');
}

ImportAnswer imported(MadeWorkspace& made,
                      const Source& source,
                      ImportRequest request,
                      WriteMode mode = WriteMode::write) {
  if (request.database_id.empty()) request.database_id = "books";
  const auto answer = import_rows(made.open(), source, request, mode);
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  return *answer;
}

std::vector<std::string> complaints(const ImportAnswer& answer) {
  std::vector<std::string> texts;
  for (const Issue& issue : answer.issues)
    texts.push_back(to_text(issue));
  return texts;
}

TEST_CASE("records become rows, by ids and names of columns", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  const auto answer =
      imported(made,
               csv("title,My rating,tags,after\r\n\"Dune, again\",9,\"sf, desert\",\r\n"
                   "Second,,,row-001\r\n"),
               {});
  CHECK(complaints(answer).empty());
  CHECK(answer.inserted == 2);
  CHECK(made.read("books/row-001.md") ==
        "---\ntitle: Dune, again\nrating: 9\ntags:\n  - sf\n  - desert\n---\n");
  CHECK(made.read("books/row-002.md") == "---\ntitle: Second\nafter: row-001\n---\n");
  CHECK(made.read("books/_schema.md").find("next_row_id: 3\n") != std::string::npos);
}

TEST_CASE("all that is wrong is said at once, with its lines, and nothing is written",
          "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  made.write("books/old.md", "---\ntitle: Old\nisbn: \"1\"\n---\n");
  const auto before = made.files();
  const auto answer = imported(made,
                               csv("_id,title,isbn,rating,after\nold,T,2,3,\nb,,3,many,\n"
                                   "c,C,1,11,nobody\nd,D,3,1,b\ne,E\nD,again,,,\n"),
                               {});
  CHECK(
      complaints(answer) ==
      std::vector<std::string>{
          "in.csv:2: error: the row 'old' exists already [id]",
          "in.csv:3: error: rating is a number column and cannot hold \"many\" [type]",
          "in.csv:3: error: title is required [required]",
          "in.csv:4: error: rating is 11, more than the most allowed, 10 [range]",
          "in.csv:4: error: after names the row 'nobody', which the database 'books' does not "
          "have [relation]",
          "in.csv:4: error: isbn is \"1\", which the row 'old' has already [unique]",
          "in.csv:5: error: isbn is \"3\", which line 3 has already [unique]",
          "in.csv:6: error: this record has 2 cells, where the header has 5 [csv]",
          "in.csv:7: error: the row id 'D' and the row 'd' would be one file on systems that fold "
          "names [id]"});
  CHECK(made.files() == before);
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("an upsert changes the row that has the value, one line each", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  made.write("books/a.md",
             "---\n# mine\ntitle: 'A'\nisbn: \"1\"   # kept\nrating: 3\n---\n\nText\n");
  made.write("books/b.md", "---\ntitle: B\nisbn: \"2\"\n---\n");
  const auto answer =
      imported(made, csv("isbn,title,rating\n1,A,4\n2,B,\n3,C,5\n"), {.match = "isbn"});
  CHECK(complaints(answer).empty());
  CHECK(answer.inserted == 1);
  CHECK(answer.updated == 1);
  CHECK(answer.unchanged == 1);
  CHECK(made.read("books/a.md") ==
        "---\n# mine\ntitle: 'A'\nisbn: \"1\"   # kept\nrating: 4\n---\n\nText\n");
  REQUIRE(made.open().undo(answer.change));
  CHECK(made.files().size() == 3);
}

TEST_CASE("an empty cell leaves its field alone unless it shall clear it", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  made.write("books/a.md", "---\ntitle: A\nrating: 3\n---\n");
  ImportRequest by_id{.match = "_id"};
  CHECK(imported(made, csv("_id,rating\na,\n"), by_id).unchanged == 1);
  by_id.empty_cells = EmptyCells::clear;
  CHECK(imported(made, csv("_id,rating\na,\n"), by_id).updated == 1);
  CHECK(made.read("books/a.md") == "---\ntitle: A\n---\n");
  const Source null_title = read_json_source("in.json", R"([{"_id":"a","title":null}])");
  CHECK(complaints(imported(made, null_title, {.match = "_id"})) ==
        std::vector<std::string>{"in.json:1: error: title is required [required]"});
}

TEST_CASE("two records of one row, and a value that names none, are refused", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  made.write("books/a.md", "---\ntitle: A\n---\n");
  made.write("books/b.md", "---\ntitle: A\n---\n");
  CHECK(complaints(imported(made, csv("_id,rating\na,1\na,2\n"), {.match = "_id"})) ==
        std::vector<std::string>{"in.csv:3: error: line 2 changes the row 'a' already [match]"});
  CHECK(complaints(imported(made, csv("title,rating\nA,1\n,2\n"), {.match = "title"})).size() == 2);
}

TEST_CASE("unknown columns are refused all at once, or named, or left out", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  const Source source = csv("titel,stars,junk\nT,3,x\n");
  const auto refused = import_rows(made.open(), source, {.database_id = "books"}, WriteMode::write);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unknown_field);
  CHECK(refused.error().message.find("titel") != std::string::npos);
  CHECK(refused.error().message.find("junk") != std::string::npos);
  const ImportRequest named{.names = {{"titel", "title"}, {"stars", "rating"}, {"junk", ""}}};
  CHECK(imported(made, source, named).inserted == 1);
  CHECK(made.read("books/row-001.md") == "---\ntitle: T\nrating: 3\n---\n");
}

TEST_CASE("a new database gets the columns that every value fits", "[exchange]") {
  MadeWorkspace made;
  const Source source =
      csv("isbn,pages,price,read,on,mixed,none\n0671037706,412,1.50,true,2026-01-31,1,\n"
          "0001,300,2.5,false,2026-02-01,x,\n");
  const ImportRequest request{.database_id = "new-books", .create = true};
  const auto answer = imported(made, source, request);
  CHECK(complaints(answer).empty());
  CHECK(answer.created);
  const auto schema = made.database("new-books").schema();
  REQUIRE(schema);
  std::string types;
  for (const Column& column : schema->schema.columns)
    types += column.id + ":" + column.type_name + " ";
  CHECK(types == "isbn:text pages:number price:text read:checkbox on:date mixed:text none:text ");
  REQUIRE(made.open().undo(answer.change));
  CHECK(made.files().empty());
}

TEST_CASE("CSV, import, export is the same table", "[exchange]") {
  const std::string text =
      "name,n,when,note\r\n\"a, b\",1,2026-01-01,\"two\r\nlines\"\r\n007,-2.5,,\"\"\r\n"
      "\"say \"\"hi\"\"\",3,2026-02-28,= 1\r\nnull,0,,~\r\n";
  MadeWorkspace made;
  const ImportRequest request{.database_id = "t", .create = true};
  CHECK(complaints(imported(made, csv(text), request)).empty());
  const auto exported =
      export_rows(made.database("t"), {.select = {"name", "n", "when", "note"}, .limit = 100});
  REQUIRE(exported);
  CHECK(write_csv(exported->sheet) == text);
}

TEST_CASE("an exported database is the same database when imported anew", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  made.write("books/a.md",
             "---\ntitle: \"yes\"\nisbn: 0012\nrating: 2.5\ntags: [\"x, y\", z]\n---\n\nA body\n\n"
             "with --- lines\n");
  made.write("books/b.md", "---\ntitle: \"\\t=1\"\ntags: []\nafter: \"[[a]]\"\n---\n");
  made.write("copy/_schema.md", std::string(book_schema).replace(10, 5, "Copy_"));
  const auto rows = [&](const std::string& id) {
    auto exported = export_rows(made.database(id), {.limit = 100});
    REQUIRE(exported);
    return *std::move(exported);
  };
  const Exported books = rows("books");
  for (const Source& source : {csv(write_csv(books.sheet)),
                               read_tsv_source("in.tsv", write_tsv(books.sheet)),
                               read_json_source("in.json", write_json(books.sheet)),
                               read_json_lines_source("in.jsonl", write_json_lines(books.sheet))}) {
    const auto answer = imported(made, source, {.database_id = "copy"});
    INFO(source.path);
    CHECK(complaints(answer).empty());
    CHECK(rows("copy").sheet.rows == books.sheet.rows);
    REQUIRE(made.open().undo(answer.change));
  }
}

TEST_CASE("JSON that is broken is named by the line of its record", "[exchange]") {
  MadeWorkspace made;
  make_books(made);
  const Source list = read_json_source(
      "in.json", "[\n {\"title\": \"A\"},\n {\"title\": },\n 5,\n {\"title\": \"]}\"}\n]\n");
  REQUIRE(list.issues.size() == 2);
  CHECK(list.issues[0].line == 3);
  CHECK(list.issues[1].line == 4);
  CHECK(list.records.size() == 2);
  const Source lines = read_json_lines_source("in.jsonl", "{\"a\":1}\n\n{\"a\":1,\"a\":2}\n");
  REQUIRE(lines.issues.size() == 1);
  CHECK(lines.issues[0].line == 3);
  for (const char* text : {"[", "[{}", "[{},", "[{}] x", "", "{", "7"})
    CHECK_FALSE(read_json_source("in.json", text).issues.empty());
}

TEST_CASE("an encoding or a separator that was not meant is said", "[exchange]") {
  CHECK(csv("a\xFF\n").issues.front().rule == "encoding");
  CHECK(csv(std::string_view("\xFF\xFE"
                             "a\0,\0",
                             6))
            .issues.front()
            .message.find("UTF-16") != std::string::npos);
  CHECK(csv("a;b\n1;2\n").issues.front().message.find("--separator ';'") != std::string::npos);
  CHECK(csv("a,,a\n").issues.size() == 2);
  CHECK(csv("").issues.size() == 1);
}

TEST_CASE("a dry run shows the plan and leaves no trace", "[exchange]") {
  MadeWorkspace made;
  const ImportRequest request{.database_id = "t", .create = true};
  const auto answer = imported(made, csv("a\n1\n"), request, WriteMode::dry_run);
  CHECK(answer.diff.find("+++ b/t/_schema.md") != std::string::npos);
  CHECK(answer.diff.find("+a: 1\n") != std::string::npos);
  CHECK(made.files().empty());
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("a file of more columns than a row may have fields is refused", "[exchange]") {
  std::string lines;
  std::string header;
  for (int number = 0; number < 1001; ++number) {
    lines += "{\"k" + std::to_string(number) + "\":1}\n";
    header += "k" + std::to_string(number) + (number < 1000 ? "," : "\n");
  }
  const Source objects = read_json_lines_source("in.jsonl", lines);
  REQUIRE(objects.issues.size() == 1);
  CHECK(objects.issues.front().line == 1001);
  CHECK(objects.issues.front().message.find("more than 1000 columns") != std::string::npos);
  CHECK(objects.records.empty());
  const Source cells = read_csv_source("in.csv", header + "1\n", ',');
  REQUIRE(cells.issues.size() == 1);
  CHECK(cells.issues.front().message.find("more than 1000 columns") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
