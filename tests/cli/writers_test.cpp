#include "cli/writers.h"

#include <catch2/catch.hpp>

#include "cli/terminal.h"
#include "exchange/sheet.h"
#include "json/json_value.h"

namespace notesdb::cli {
namespace {

Records records(const std::string& json, const std::string& shown = "rows") {
  Result<Value> result = parse_json(json);
  REQUIRE(result);
  return records_of(*result, shown);
}

constexpr const char* two_rows =
    R"({"columns":["title","size","tags"],"rows":[)"
    R"({"id":"a","etag":"0","fields":{"title":"東京 |x","size":3,"tags":["p","q"]}},)"
    R"({"id":"bb","etag":"0","fields":{"title":"say \"hi\", twice\nthen go","tags":["r, s"]}}]})";

TEST_CASE("a table lines up, whatever the letters", "[cli]") {
  CHECK(write_table(records(two_rows), 0) ==
        "id  title                    size  tags\n"
        "--  -----------------------  ----  ----\n"
        "a   東京 |x                     3  p, q\n"
        "bb  say \"hi\", twice then go        r, s\n");
}

TEST_CASE("a table fits its terminal, and the first column stays whole", "[cli]") {
  std::string table = write_table(records(two_rows), 30);
  CHECK(table.find("bb  say \"hi\", twi…        r, s") != std::string::npos);
  std::string narrow = write_table(records(two_rows), 20);
  CHECK(narrow.find("id  title     ") == 0);
  CHECK(narrow.find("\n(no room for tags)\n") != std::string::npos);
  CHECK(write_table(records(R"({"rows":[]})"), 80).empty());
}

TEST_CASE("a table names the places that link to a row, and shows other maps as JSON", "[cli]") {
  const Records row = records(
      R"({"row":{"id":"a","backlinks":[{"database_id":"tasks","row_id":"b","field":"parent"},)"
      R"({"path":"README.md","field":"_body"}],"fields":{"size":{"path":3,"field":"x"}}}})",
      "row");
  CHECK(write_table(row, 0) ==
        "id         a\n"
        "backlinks  tasks/b (parent), README.md (body)\n"
        "size       {\"path\":3,\"field\":\"x\"}\n");
}

TEST_CASE("CSV is what RFC 4180 says", "[cli]") {
  CHECK(write_csv(records(two_rows)) ==
        "id,title,size,tags\r\n"
        "a,東京 |x,3,\"p,q\"\r\n"
        "bb,\"say \"\"hi\"\", twice\nthen go\",,\"[\"\"r, s\"\"]\"\r\n");
  CHECK(write_csv(records(R"({"columns":["t"],"rows":[]})")) == "id,t\r\n");
}

TEST_CASE("TSV has one line a record", "[cli]") {
  CHECK(write_tsv(records(two_rows)) ==
        "id\ttitle\tsize\ttags\n"
        "a\t東京 |x\t3\tp,q\n"
        "bb\tsay \"hi\", twice\\nthen go\t\t[\"r, s\"]\n");
}

TEST_CASE("a Markdown table survives bars and line breaks", "[cli]") {
  CHECK(write_markdown(records(two_rows)) ==
        "| id | title | size | tags |\n"
        "| --- | --- | --- | --- |\n"
        "| a | 東京 \\|x | 3 | p, q |\n"
        "| bb | say \"hi\", twice<br>then go | | r, s |\n");
}

TEST_CASE("YAML says what JSON says", "[cli]") {
  Result<Value> value = parse_json(R"({"a":[1,{"b":"yes","c":[]}],"d":{},"e":null,"f":"x: y"})");
  CHECK(yaml_text(*value) == "a:\n  - 1\n  - b: \"yes\"\n    c: []\nd: {}\ne: null\nf: \"x: y\"\n");
}

TEST_CASE("a record is its fields, then the undeclared keys, then the body", "[cli]") {
  const char* one = R"({"row":{"id":"a","etag":"0","fields":{"title":"T"},"body":"Text",)"
                    R"("modified":"2026-01-01T00:00:00Z","extra":{"mood":"good"}}})";
  CHECK(write_table(records(one, "row"), 80) ==
        "id        a\ntitle     T\nmood      good\nmodified  2026-01-01T00:00:00Z\n\nText\n");
}

TEST_CASE("no file can command a terminal", "[cli]") {
  const char* evil = R"({"row":{"id":"a","fields":{"t\u001b[1m":"\u001b]0;x\u0007\u009b1m\u202e"},)"
                     R"("body":"\u001b[2J"}})";
  std::string shown = write_table(records(evil, "row"), 80);
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find('\x07') == std::string::npos);
  CHECK(shown.find("\xc2\x9b") == std::string::npos);
  CHECK(shown.find("\xe2\x80\xae") == std::string::npos);
  CHECK(escape_inside_quotes("\"\xc2\x9b é \xe2\x80\xae\"") == "\"\\u009b é \\u202e\"");
}

TEST_CASE("ids are those of the records", "[cli]") {
  Result<Value> result = parse_json(two_rows);
  CHECK(ids_of(*result, "rows") == std::vector<std::string>{"a", "bb"});
}

}  // namespace
}  // namespace notesdb::cli
