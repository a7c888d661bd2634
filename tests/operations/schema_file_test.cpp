// schema/notesdb-schema.schema.json against the code's own tables: an editor must not praise what
// notesdb refuses, nor underline what it takes.
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/column.h"
#include "core/schema.h"
#include "query/operators.h"
#include "schema/document.h"

namespace notesdb {
namespace {

using nlohmann::json;

json schema_file() {
  return json::parse(std::ifstream(NOTESDB_SOURCE_DIR "/schema/notesdb-schema.schema.json"));
}

// The `const` of each choice that has one, in their order.
std::vector<std::string> constants_of(const json& choices) {
  std::vector<std::string> constants;
  for (const json& choice : choices) {
    if (choice.contains("const")) constants.push_back(choice["const"]);
  }
  return constants;
}

// A schema in which every key has something to say.
Schema full_schema() {
  Column column;
  column.id = "a";
  column.name = "A";
  column.type = ColumnType::relation;
  column.type_name = "relation";
  column.description = "what it means";
  column.options = {"x"};
  column.target = "people";
  column.multiple = column.required = column.unique = true;
  column.default_value = Value("x");
  column.min = Value(1);
  column.max = Value(2);
  column.pattern = "x";
  column.merge = "ours";
  column.rollup = Rollup{"a", "b", "count", "people.a"};
  column.expression = "1 + 1";

  Schema schema;
  schema.name = "Everything";
  schema.description = "what a row is";
  schema.columns = {column};
  schema.views = {{.id = "v",
                   .name = "V",
                   .type = "table",
                   .columns = {"a"},
                   .group_by = "a",
                   .date_column = "a",
                   .filters = List{},
                   .sorts = List{}}};
  schema.templates = {{.key = "t", .name = "T", .title = "t", .fields = {}, .body = "b"}};
  schema.row_id = {.style = RowIdStyle::slug, .prefix = "p-", .digits = 5, .from = "a"};
  schema.rows = {.include = {"*.md"}, .exclude = {"x.md"}, .layout = RowLayout::folder};
  schema.next_row_id = 7;
  return schema;
}

void check_keys_are_described(const Map& map, const json& described) {
  CHECK_FALSE(map.empty());
  for (const Member& member : map) {
    INFO(member.key);
    CHECK(described["properties"].contains(member.key));
  }
}

TEST_CASE("the schema file knows the column types of the code", "[operations]") {
  const json file = schema_file();
  CHECK(constants_of(file["$defs"]["column_type"]["anyOf"]) == column_type_names());
}

TEST_CASE("the schema file knows the operators of the code", "[operations]") {
  const json file = schema_file();
  CHECK(file["$defs"]["operator"]["enum"].get<std::vector<std::string>>() == operator_names());
}

TEST_CASE("the schema file knows the styles of row ids", "[operations]") {
  const json file = schema_file();
  const std::vector<std::string> styles =
      constants_of(file["$defs"]["row_id"]["properties"]["style"]["oneOf"]);
  CHECK(styles.size() == 5);
  for (const std::string& style : styles) {
    INFO(style);
    CHECK(parse_row_id_style(style).has_value());
  }
}

TEST_CASE("the schema file describes every key that a schema is written with", "[operations]") {
  const json file = schema_file();
  const Map written = to_map(full_schema());
  check_keys_are_described(written, file);
  const json& definitions = file["$defs"];
  check_keys_are_described(find_member(written, "columns")->list().at(0).map(),
                           definitions["column"]);
  check_keys_are_described(find_member(written, "views")->list().at(0).map(), definitions["view"]);
  check_keys_are_described(find_member(written, "templates")->map().at(0).value.map(),
                           definitions["template"]);
  check_keys_are_described(find_member(written, "row_id")->map(), definitions["row_id"]);
  check_keys_are_described(find_member(written, "rows")->map(), definitions["rows"]);
}

// An editor offers these keys, so that none of them may be called a slip.
void check_keys_are_known(const json& part, const std::string& before, const std::string& after) {
  for (const auto& [key, what] : part["properties"].items()) {
    INFO(key);
    const auto document =
        parse_schema("name: N\n" + before + key + ": 1" + after, NoteFormat::yaml);
    REQUIRE(document);
    for (const Issue& issue : document->issues)
      CHECK(issue.message.find("has no meaning") == std::string::npos);
  }
}

TEST_CASE("no key of the schema file is taken for a slip", "[operations]") {
  json file = schema_file();
  file["properties"].erase("columns");
  const json& definitions = file["$defs"];
  check_keys_are_known(file, "columns: []\n", "\n");
  check_keys_are_known(definitions["column"], "columns: [{", "}]\n");
  check_keys_are_known(definitions["view"], "columns: []\nviews: [{", "}]\n");
  check_keys_are_known(definitions["template"], "columns: []\ntemplates: {t: {", "}}\n");
  check_keys_are_known(definitions["row_id"], "columns: []\nrow_id: {", "}\n");
  check_keys_are_known(definitions["rows"], "columns: []\nrows: {", "}\n");
}

}  // namespace
}  // namespace notesdb
