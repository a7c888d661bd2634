
#include "cli/operation_command.h"

#include <catch2/catch.hpp>

#include "cli/command.h"
#include "json/json_value.h"

namespace notesdb::cli {
namespace {

// An operation with one argument of every kind that the command line spells its own way.
const Operation& sample() {
  static const Operation operation{
      .name = "db_sample",
      .command = "sample",
      .title = "Try the spelling",
      .effect = Effect::updates,
      .arguments = {{.name = "database_id", .kind = ArgumentKind::database, .positional = true},
                    {.name = "filters", .kind = ArgumentKind::filters},
                    {.name = "sort", .kind = ArgumentKind::sorts},
                    {.name = "select", .kind = ArgumentKind::names},
                    {.name = "limit", .kind = ArgumentKind::integer},
                    {.name = "include_body", .kind = ArgumentKind::boolean},
                    {.name = "fields", .kind = ArgumentKind::fields},
                    {.name = "body", .kind = ArgumentKind::body},
                    {.name = "columns", .kind = ArgumentKind::columns},
                    {.name = "metrics", .kind = ArgumentKind::metrics},
                    {.name = "row_id", .kind = ArgumentKind::settings}}};
  return operation;
}

Column column(const std::string& id, ColumnType type) {
  Column column;
  column.id = id;
  column.type = type;
  return column;
}

Schema schema() {
  Schema schema;
  schema.columns = {column("title", ColumnType::text),
                    column("tags", ColumnType::list),
                    column("data", ColumnType::json),
                    column("who", ColumnType::relation)};
  schema.columns.back().multiple = true;
  return schema;
}

std::string spelled(const std::vector<std::string>& words) {
  Result<Words> parsed = parse_words(command_of(sample()), words);
  if (!parsed) return "refused: " + parsed.error().message;
  Schema columns = schema();
  Result<Value> arguments = arguments_of(sample(), *parsed, &columns);
  return arguments ? to_json(*arguments) : "refused: " + arguments.error().message;
}

TEST_CASE("the words of a command become the arguments of a tool", "[cli]") {
  CHECK(spelled({"tasks"}) == R"({"database_id":"tasks"})");
  CHECK(spelled({"--where", "status = done", "tasks", "--where", "due is_empty"}) ==
        R"({"database_id":"tasks","filters":[{"field":"status","operator":"eq","value":"done"},)"
        R"({"field":"due","operator":"is_empty"}]})");
  CHECK(spelled({"--sort", "due:desc", "--sort", "title"}) == R"({"sort":["due:desc","title"]})");
  CHECK(spelled({"--select", "a,b", "--select=c"}) == R"({"select":["a","b","c"]})");
  CHECK(spelled({"--limit", "-1"}) == R"({"limit":"-1"})");
  CHECK(spelled({"--include-body"}) == R"({"include_body":true})");
  CHECK(spelled({"--row-id", "style=slug", "--row-id", "digits=4"}) ==
        R"({"row_id":{"style":"slug","digits":4}})");
}

TEST_CASE("filters in words and in JSON hold together", "[cli]") {
  CHECK(spelled({"--where", "a = 1", "--filters", R"([{"field":"b","operator":"is_empty"}])"}) ==
        R"({"filters":[{"field":"a","operator":"eq","value":"1"},)"
        R"({"field":"b","operator":"is_empty"}]})");
}

TEST_CASE("a field is a list where its column holds one", "[cli]") {
  CHECK(spelled({"--set", "title=a,b = c"}) == R"({"fields":{"title":"a,b = c"}})");
  CHECK(spelled({"--set", "tags=a,b c"}) == R"({"fields":{"tags":["a","b c"]}})");
  CHECK(spelled({"--set", "tags="}) == R"({"fields":{"tags":[]}})");
  CHECK(spelled({"--set", R"(tags=["a, b"])"}) == R"({"fields":{"tags":["a, b"]}})");
  CHECK(spelled({"--set", "who=[[ann]],[[bob]]"}) == R"({"fields":{"who":["[[ann]]","[[bob]]"]}})");
  CHECK(spelled({"--set", R"(data={"a":[1]})"}) == R"({"fields":{"data":{"a":[1]}}})");
  CHECK(spelled({"--set", "data=plain text"}) == R"({"fields":{"data":"plain text"}})");
  CHECK(spelled({"--fields", R"({"title":"x","n":1})", "--set", "title=y", "--unset", "n"}) ==
        R"({"fields":{"title":"y","n":null}})");
}

TEST_CASE("columns and metrics have a short form", "[cli]") {
  CHECK(spelled({"--column", "title", "--column", "status:select:open,done"}) ==
        R"({"columns":[{"id":"title","type":"text"},)"
        R"({"id":"status","type":"select","options":["open","done"]}]})");
  CHECK(spelled({"--column", "who:relation:work/people"}) ==
        R"({"columns":[{"id":"who","type":"relation","target":"work/people"}]})");
  CHECK(spelled({"--metric", "count", "--metric", "sum:estimate=evenings"}) ==
        R"({"metrics":[{"function":"count"},)"
        R"({"function":"sum","field":"estimate","as":"evenings"}]})");
}

TEST_CASE("what is not understood on a command line is refused by name", "[cli]") {
  CHECK(spelled({"--wehre", "a = 1"}).find("did you mean '--where'?") != std::string::npos);
  CHECK(spelled({"tasks", "more"}).find("unexpected argument 'more'") != std::string::npos);
  CHECK(spelled({"--set", "title"}).find("KEY=VALUE") != std::string::npos);
  CHECK(spelled({"--filters", "[{"}).find("--filters should be JSON") != std::string::npos);
  CHECK(spelled({"--limit"}).find("refused") == 0);
}

TEST_CASE("the command is the first word that is no flag's value", "[cli]") {
  CHECK(find_command_word({"--root", "query", "list"}) == 2);
  CHECK(find_command_word({"--root=x", "-o", "json", "--json", "get"}) == 4);
  CHECK_FALSE(find_command_word({"--read-only"}));
}

}  // namespace
}  // namespace notesdb::cli
