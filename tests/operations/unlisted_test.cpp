// Tools that hosts of MCP are not told of: check, fix, infer and import over /call.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb {
namespace {

constexpr std::string_view schema =
    "---\nname: Tasks\ncolumns:\n  - {id: title, type: text}\n"
    "  - {id: status, type: select, options: [open, done]}\n---\n";

Result<Value> ask(MadeWorkspace& made, std::string_view tool, const std::string& arguments) {
  return dispatch(*find_operation(tool), *parse_json(arguments), {.workspace = made.open()});
}

Value answer_of(MadeWorkspace& made, std::string_view tool, const std::string& arguments) {
  Result<Value> answer = ask(made, tool, arguments);
  INFO((answer ? std::string() : answer.error().message));
  REQUIRE(answer);
  return *std::move(answer);
}

std::size_t count_in(const Value& answer, std::string_view member) {
  const Value* list = answer.find(member);
  return list == nullptr ? 0 : list->list().size();
}

MadeWorkspace& with_tasks(MadeWorkspace& made) {
  made.write("tasks/_schema.md", schema);
  made.write("tasks/a.md", "---\ntitle: Two: words\nstatus: open\n---\n");
  made.write("tasks/b.md", "---\ntitle: One\nstatus: Done\n---\n");
  made.write("tasks/c.md", "---\ntitle: One\nstatus: never\n---\n");
  return made;
}

TEST_CASE("unlisted tools are found by name, and no list of tools shows them", "[operations]") {
  CHECK(unlisted_catalog().size() == 3);
  for (const Operation* operation : unlisted_catalog()) {
    CAPTURE(operation->name);
    CHECK(find_operation(operation->name) == operation);
    CHECK(std::ranges::find(catalog(), operation) == catalog().end());
    CHECK(operation->description.ends_with('.'));
    CHECK(std::ranges::any_of(operation->result, [&](const ResultMember& member) {
      return member.name == operation->shown;
    }));
  }
}

TEST_CASE("db_check names issues and the fixes that db_fix makes of the files it is given",
          "[operations]") {
  MadeWorkspace made;
  with_tasks(made);
  const auto before = made.files();
  const Value found = answer_of(made, "db_check", R"({"database_id": "tasks"})");
  CHECK(count_in(found, "issues") == 3);
  REQUIRE(count_in(found, "fixes") == 2);
  CHECK(*found.find("fixes")->list()[0].find("after") == Value("title: \"Two: words\""));
  CHECK(made.files() == before);
  CHECK(count_in(answer_of(made, "db_check", R"({"paths": ["tasks/b.md"]})"), "issues") == 1);

  const Value dry = answer_of(made, "db_fix", R"({"paths": ["tasks/a.md"], "dry_run": true})");
  CHECK(dry.find("diff") != nullptr);
  CHECK(made.files() == before);
  const Value fixed = answer_of(made, "db_fix", R"({"paths": ["tasks/a.md"]})");
  CHECK(count_in(fixed, "fixed") == 1);
  CHECK(made.read("tasks/a.md") == "---\ntitle: \"Two: words\"\nstatus: open\n---\n");
  CHECK(made.read("tasks/b.md") == before.at("tasks/b.md"));
  answer_of(made, "db_undo", R"({"change": ")" + fixed.find("change")->text() + "\"}");
  CHECK(made.files() == before);
}

TEST_CASE("db_infer shows the schemas of all folders and writes those it is told to",
          "[operations]") {
  MadeWorkspace made;
  for (const char* name : {"a", "b", "c", "d"})
    made.write("vault/books/" + std::string(name) + ".md",
               "---\ntitle: Book " + std::string(name) + "\nyear: 2020\n---\n");
  const auto before = made.files();
  const Value shown = answer_of(made, "db_infer", R"({"dry_run": true})");
  REQUIRE(count_in(shown, "databases") == 1);
  const Value& books = shown.find("databases")->list()[0];
  CHECK(*books.find("database_id") == Value("vault/books"));
  CHECK(*books.find("row_count") == Value(4));
  CHECK(made.files() == before);
  answer_of(made, "db_infer", R"({"folders": ["vault/books"]})");
  CHECK(made.read("vault/books/_schema.md") == books.find("document")->text());
  const Result<Value> again = ask(made, "db_infer", R"({"folders": ["vault/books"]})");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::already_exists);
}

TEST_CASE("db_import takes all records of a text or says what is wrong with each", "[operations]") {
  MadeWorkspace made;
  with_tasks(made);
  const auto before = made.files();
  const Result<Value> refused = ask(
      made,
      "db_import",
      R"({"database_id": "tasks", "text": "title,status\nNew,open\nBad,nope\n", "file_name": "x.csv"})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid_value);
  const Value* issues = find_member(refused.error().data.map(), "issues");
  REQUIRE(issues != nullptr);
  CHECK(*issues->list()[0].find("path") == Value("x.csv"));
  CHECK(*issues->list()[0].find("line") == Value(3));
  CHECK(made.files() == before);

  const std::string good =
      R"({"database_id": "tasks", "text": "title;status\nNew;open\nNewer;done\n", "separator": "semicolon")";
  CHECK(*answer_of(made, "db_import", good + R"(, "dry_run": true})").find("inserted") == Value(2));
  CHECK(made.files() == before);
  CHECK(*answer_of(made, "db_import", good + "}").find("inserted") == Value(2));
  CHECK(made.files().size() == before.size() + 2);
  const Value created = answer_of(
      made,
      "db_import",
      R"({"database_id": "people", "text": "[{\"name\": \"Ada\"}]", "format": "json", "create": true})");
  CHECK(*created.find("created") == Value(true));
  CHECK_FALSE(made.read("people/_schema.md").empty());
}

TEST_CASE("filters may be typed as on the command line, alone and among others", "[operations]") {
  MadeWorkspace made;
  with_tasks(made);
  const auto total = [&](const std::string& filters) {
    return answer_of(made, "db_query", R"({"database_id": "tasks", "filters": )" + filters + "}")
        .find("total")
        ->integer();
  };
  CHECK(total(R"("title = One or status = open")") == 3);
  CHECK(total(R"(["title = One", {"field": "status", "operator": "eq", "value": "never"}])") == 1);
  CHECK(total(R"(["title = One and status = never"])") == 1);
  CHECK(total(R"([])") == 3);
  const Result<Value> unread =
      ask(made, "db_query", R"({"database_id": "tasks", "filters": ["status"]})");
  REQUIRE_FALSE(unread);
  CHECK(unread.error().code == ErrorCode::invalid_argument);
  const Result<Value> unknown =
      ask(made, "db_query", R"({"database_id": "tasks", "filters": "staus = open"})");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("status") != std::string::npos);

  const Value schema_now = answer_of(made, "db_get_schema", R"({"database_id": "tasks"})");
  answer_of(
      made,
      "db_alter",
      R"({"database_id": "tasks", "etag": ")" + schema_now.find("etag")->text() +
          R"(", "changes": [{"action": "add_view", "view": "open", "filters": ["status = open"]}]})");
  CHECK(made.read("tasks/_schema.md").find("operator: eq") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
