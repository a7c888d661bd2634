// An answer that is written straight from the index is the text of the answer that is made of
// values, byte for byte, whatever stands in the files.
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb {
namespace {

constexpr std::string_view schema = R"(---
name: Things
columns:
  - {id: text, type: text}
  - {id: number, type: number}
  - {id: checkbox, type: checkbox}
  - {id: date, type: date}
  - {id: time, type: datetime}
  - {id: select, type: select, options: [a, b]}
  - {id: several, type: multi-select, options: [a, b]}
  - {id: url, type: url}
  - {id: parent, type: relation, target: things}
  - {id: others, type: relation, target: things, multiple: true}
  - {id: list, type: list}
  - {id: json, type: json}
  - {id: other, type: formula}
  - {id: "a \"quoted\" id", type: text}
  - {id: children, type: rollup, relation: others, function: sum, field: number}
views:
  - {id: board, name: Board, type: board, group_by: select, columns: [text, select]}
---
)";

const std::vector<std::string> spellings{"",
                                         "~",
                                         "null",
                                         "plain",
                                         "ä",
                                         "''",
                                         "\"\"",
                                         "'it''s'",
                                         "\"a \\\"b\\\" \\\\ \\n \\t \\0 \\x7f\"",
                                         "\"\\u001f\\u00e9\\ud83d\\ude00\"",
                                         "\"\\e\\a\\_\"",
                                         "a\x01"
                                         "b",
                                         "a\x7f"
                                         "b",
                                         "a\xff\xfe"
                                         "b",
                                         "\xed\xa0\x80",
                                         "'a\xc3'",
                                         "back\\slash",
                                         "quo\"te",
                                         "0",
                                         "-0",
                                         "7",
                                         "-17",
                                         "+5",
                                         "007",
                                         "0x1F",
                                         "0o17",
                                         "1_000",
                                         "12345678901234",
                                         "999999999999999",
                                         "-999999999999999",
                                         "9007199254740992",
                                         "9007199254740993",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775809",
                                         "1.0",
                                         "1.50",
                                         "1e3",
                                         "1e400",
                                         ".5",
                                         "5.",
                                         ".inf",
                                         "-.INF",
                                         ".nan",
                                         "'7'",
                                         "true",
                                         "false",
                                         "True",
                                         "FALSE",
                                         "yes",
                                         "'true'",
                                         "2026-01-31",
                                         "2026-1-31",
                                         "2026-13-31",
                                         "2026-01-31T09:05:00Z",
                                         "2026-01-31 9:05",
                                         "a",
                                         "c",
                                         "row-1",
                                         "\"[[row-1]]\"",
                                         "[[row-1]]",
                                         "things/row-2.md",
                                         "https://example.org/?a=b&c=\"d\"",
                                         "[]",
                                         "[a, b]",
                                         "[1, 2.0, true, ~, 'x']",
                                         "['c, d', \"\\n\", a\xff"
                                         "b]",
                                         "[row-1, row-2]",
                                         "{}",
                                         "{a: 1, b: [x, {c: .nan}], \"\\x01\": 9007199254740993}",
                                         "\n  - a\n  - \"b\\tc\"",
                                         "\n  key: value\n  other: [1]",
                                         "|\n  some\n  lines\n",
                                         "!tag x",
                                         "&anchor x"};

void put_things(const MadeWorkspace& made) {
  made.write("things/_schema.md", schema);
  const std::array<std::string, 14> columns{"text",
                                            "number",
                                            "checkbox",
                                            "date",
                                            "time",
                                            "select",
                                            "several",
                                            "url",
                                            "parent",
                                            "others",
                                            "list",
                                            "json",
                                            "other",
                                            "\"a \\\"quoted\\\" id\""};
  // Every spelling in every column, and each row with another few that are missing.
  for (std::size_t row = 0; row < spellings.size(); ++row) {
    std::string bytes = "---\n";
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if ((row + column) % 5 == 4) continue;
      bytes += columns[column] + ": " + spellings[(row + column * 7) % spellings.size()] + "\n";
    }
    made.write("things/row-" + std::to_string(row) + ".md", bytes + "---\nBody \"of\" \x02\xff\n");
  }
  made.write("things/\"odd\" name ä.md", "---\ntext: x\nundeclared: y\n---\n");
  made.write("things/twice.md", "---\ntext: x\ntext: y\nnumber: 1\n---\n");
  made.write("things/unclosed.md", "---\ntext: x\n");
  made.write("things/empty.md", "");
  made.write("things/whole.yaml", "text: 'of yaml'\nnumber: 3\n");
}

std::vector<Map> questions() {
  const Value everything = List{"text", "_id", "_path", "_modified", "number", "list"};
  std::vector<Map> asked{
      {},
      {{"limit", 0}},
      {{"limit", 1}},
      {{"limit", 3}, {"offset", 4}},
      {{"limit", 1000}},
      {{"offset", 5000}},
      {{"sort", List{Map{{"field", "number"}}}}, {"limit", 1000}},
      {{"filters", List{triple("number", "gte", 1)}}, {"limit", 1000}},
      {{"filters", List{triple("number", "gte", "1e300")}}},
      {{"filters", List{triple("text", "eq", "no such")}}},
      {{"select", everything}, {"limit", 1000}},
      {{"select", List{"_modified"}}},
      {{"select", List{"_body", "text"}}, {"limit", 1000}},
      {{"select", List{"a \"quoted\" id"}}, {"limit", 1000}},
      {{"select", List{"parent.text", "text"}}, {"limit", 1000}},
      {{"select", List{"others.number", "children"}}, {"limit", 1000}},
      {{"select", List{"no such"}}},
      {{"view", "board"}, {"limit", 1000}},
      {{"view", "none"}},
      {{"include_body", true}, {"limit", 1000}},
      {{"include_body", true}, {"select", everything}},
  };
  for (std::size_t i = 0, count = asked.size(); i < count; ++i) {
    asked.push_back(asked[i]);
    asked.back().push_back({"format", "table"});
  }
  for (Map& one : asked)
    one.push_back({"database_id", "things"});
  return asked;
}

// What a interface says of an answer or a failure.
std::string said(const Result<WrittenAnswer>& answer) {
  return answer ? to_json(answer->rest) + "\n" + answer->text : to_json(to_value(answer.error()));
}

// The answer of a value as it is written as a whole.
Result<WrittenAnswer> in_json(Result<Value> answer) {
  if (!answer) return answer.error();
  WrittenAnswer written{to_json(*answer), *std::move(answer)};
  std::erase_if(written.rest.map(), [](const Member& member) { return member.key == "rows"; });
  return written;
}

// The same answer with its rows a line each.
Result<WrittenAnswer> in_lines(Result<Value> answer) {
  if (!answer) return answer.error();
  WrittenAnswer lined;
  for (const Value& row : answer->find("rows")->list())
    lined.text += to_json(row) + "\n";
  std::erase_if(answer->map(), [](const Member& member) { return member.key == "rows"; });
  lined.rest = *std::move(answer);
  return lined;
}

// How many rows were in the answers.
std::size_t compare(Workspace& workspace, const std::vector<Map>& asked, Caps caps = Caps::apply) {
  std::size_t rows = 0;
  for (const Map& arguments : asked) {
    INFO(to_json(arguments));
    const Operation& query = *find_operation("db_query");
    const Context context{.workspace = workspace, .caps = caps};
    const Result<Value> made = dispatch(query, arguments, context);
    CHECK(said(in_json(made)) == said(dispatch_as_json(query, arguments, context)));
    CHECK(said(in_lines(made)) == said(dispatch_as_lines(query, arguments, context)));
    if (made) rows += made->find("rows")->list().size();
  }
  return rows;
}

TEST_CASE("an answer written from the index is the answer made of values", "[operations]") {
  MadeWorkspace made;
  put_things(made);
  SECTION("of a process that answers once, without caps") {
    CHECK(compare(made.open(), questions(), Caps::none) > 1000);
  }
  SECTION("of one that stays, when a file has changed") {
    made.open().stay();
    compare(made.open(), {{{"database_id", "things"}}});
    made.write("things/row-3.md", "---\ntext: \"new \\x01\"\nnumber: 12345678901234567890\n---\n");
    CHECK(compare(made.open(), questions()) > 1000);
  }
}

TEST_CASE("both ways cut an answer that is too long behind the same row", "[operations]") {
  MadeWorkspace made;
  made.write("things/_schema.md", schema);
  const std::string quotes(7000, '"');
  for (int row = 0; row < 60; ++row) {
    const std::size_t size = static_cast<std::size_t>(row) * 117 % 7000;
    made.write(
        "things/row-" + std::to_string(row) + ".md",
        "---\ntext: x" + quotes.substr(0, size) + "\nnumber: " + std::to_string(row) + "\n---\n");
  }
  made.write("things/row-100.md", "---\ntext: " + std::string(largest_max_bytes, 'x') + "\n---\n");
  std::vector<Map> asked;
  for (int offset = 0; offset <= 60; offset += 4) {
    for (const char* format : {"objects", "table"})
      asked.push_back(
          {{"database_id", "things"}, {"limit", 1000}, {"offset", offset}, {"format", format}});
  }
  asked.push_back({{"database_id", "things"}, {"include_body", true}, {"limit", 1000}});
  CHECK(compare(made.open(), asked) > 100);
  const auto first =
      dispatch(*find_operation("db_query"), asked.front(), {.workspace = made.open()});
  REQUIRE(first);
  CHECK(first->find("rows")->list().size() < 60);
  CHECK(first->find("truncated")->boolean());
}

}  // namespace
}  // namespace notesdb
