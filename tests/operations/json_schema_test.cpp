#include "operations/json_schema.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/tool_docs.h"

namespace notesdb {
namespace {

Value tools_list() {
  List tools;
  for (const Operation* operation : catalog())
    tools.push_back(tool_definition(*operation));
  return Map{{"tools", std::move(tools)}};
}

std::string file(const std::string& path) {
  std::ifstream in(NOTESDB_SOURCE_DIR "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr std::array<std::string_view, 7> types{
    "object", "array", "string", "integer", "number", "boolean", "null"};

// Every node says what it is: a type of its own, or choices that do.
void check_node(const Value& node, const std::string& place) {
  INFO(place << ": " << to_json(node));
  REQUIRE(node.is_map());
  CHECK(node.find("$ref") == nullptr);
  const Value* type = node.find("type");
  const Value* choices = node.find("anyOf");
  REQUIRE((type != nullptr) != (choices != nullptr));
  if (choices != nullptr) {
    for (const Value& choice : choices->list())
      check_node(choice, place + ".anyOf");
    return;
  }
  REQUIRE(type->is_text());
  CHECK(std::ranges::find(types, type->text()) != types.end());
  if (const Value* items = node.find("items")) check_node(*items, place + ".items");
  if (const Value* properties = node.find("properties")) {
    CHECK_FALSE(properties->map().empty());
    for (const Member& property : properties->map())
      check_node(property.value, place + "." + property.key);
  }
}

TEST_CASE("wire schemas are inline and typed on every node", "[operations]") {
  for (const Operation* operation : catalog()) {
    for (const Value& schema : {input_schema(*operation), output_schema(*operation)}) {
      CHECK(*schema.find("type") == Value("object"));
      check_node(schema, operation->name);
    }
    CHECK(*input_schema(*operation).find("additionalProperties") == Value(false));
  }
}

TEST_CASE("filters and sort may be text, and fields are an open map", "[operations]") {
  Value query = input_schema(*find_operation("db_query"));
  for (const char* name : {"filters", "sort"}) {
    const List& choices = query.find("properties")->find(name)->find("anyOf")->list();
    REQUIRE(choices.size() == 2);
    CHECK(*choices[0].find("type") == Value("array"));
    CHECK(*choices[1].find("type") == Value("string"));
  }
  Value insert = input_schema(*find_operation("db_insert_row"));
  const Value* fields = insert.find("properties")->find("fields");
  CHECK(*fields->find("type") == Value("object"));
  CHECK(fields->find("properties") == nullptr);
}

TEST_CASE("a reader says so, and nothing reaches beyond the workspace", "[operations]") {
  for (const Operation* operation : catalog()) {
    Value hints = annotations(*operation);
    INFO(operation->name);
    CHECK(*hints.find("openWorldHint") == Value(false));
    CHECK(*hints.find("readOnlyHint") == Value(!writes(operation->effect)));
    CHECK((hints.find("destructiveHint") != nullptr) == writes(operation->effect));
  }
  CHECK(*annotations(*find_operation("db_update_row")).find("destructiveHint") == Value(true));
}

TEST_CASE("the catalog knows of an operation what it says itself", "[operations]") {
  for (const auto* operations : {&catalog(), &command_catalog()}) {
    for (const Operation* operation : *operations) {
      CAPTURE(operation->name);
      CHECK(find_command(operation->command) == operation);
      CHECK(find_operation(operation->name) == (operations == &catalog() ? operation : nullptr));
      CHECK(is_reading_command(operation->command) == !writes(operation->effect));
    }
  }
}

TEST_CASE("db_list comes first and takes no arguments", "[operations]") {
  CHECK(catalog().front()->name == "db_list");
  CHECK(catalog().front()->arguments.empty());
}

TEST_CASE("the list of tools stays within its bytes", "[operations]") {
  constexpr std::size_t most = 13'312;
  CHECK(to_json(tools_list()).size() < most);
}

TEST_CASE("every tool has a title, a description and a way to run", "[operations]") {
  for (const Operation* operation : catalog()) {
    INFO(operation->name);
    CHECK_FALSE(operation->title.empty());
    CHECK(operation->description.find(". ") > 10);
    CHECK(operation->run != nullptr);
    CHECK(find_operation(operation->name) == operation);
    CHECK(find_command(operation->command) == operation);
    CHECK(std::ranges::any_of(operation->result, [&](const ResultMember& member) {
      return member.name == operation->shown;
    }));
  }
}

TEST_CASE("schema/tools-list.json is what notesdb tools --json prints", "[operations]") {
  CHECK(file("schema/tools-list.json") == to_indented_json(tools_list()) + "\n");
}

TEST_CASE("docs/tools.md is what notesdb tools --markdown prints", "[operations]") {
  CHECK(file("docs/tools.md") == tools_markdown(catalog()));
}

}  // namespace
}  // namespace notesdb
