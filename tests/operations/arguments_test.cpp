#include "operations/arguments.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "json/json_value.h"
#include "operations/short_error.h"

namespace notesdb {
namespace {

const std::vector<Argument>& known() {
  static const std::vector<Argument> arguments{
      {.name = "database_id", .kind = ArgumentKind::database, .required = Doors::all},
      {.name = "filters", .kind = ArgumentKind::filters},
      {.name = "sort", .kind = ArgumentKind::sorts},
      {.name = "select", .kind = ArgumentKind::names},
      {.name = "limit", .kind = ArgumentKind::integer, .fallback = 50, .fallback_at = Doors::tools},
      {.name = "include_body", .kind = ArgumentKind::boolean},
      {.name = "format", .kind = ArgumentKind::choice, .choices = {"objects", "table"}},
      {.name = "body", .kind = ArgumentKind::body},
      {.name = "fields", .kind = ArgumentKind::fields},
      {.name = "etag", .required = Doors::tools, .if_missing = "db_get_row gives it"},
  };
  return arguments;
}

Decoding decode(Map given, Door door = Door::commands) {
  if (find_member(given, "database_id") == nullptr) given.push_back({"database_id", "tasks"});
  return decode_arguments(known(), given, door);
}

// The one argument as it was decoded; null if it is absent.
Value decoded(const std::string& name, Value given) {
  Decoding decoding = decode({{name, std::move(given)}});
  INFO(name << ": " << (decoding.errors.empty() ? "" : decoding.errors.front().message));
  REQUIRE(decoding.errors.empty());
  return decoding.arguments.value(name);
}

std::string refusal(const std::string& name, Value given) {
  Decoding decoding = decode({{name, std::move(given)}});
  REQUIRE(decoding.errors.size() == 1);
  CHECK(decoding.errors.front().code == ErrorCode::invalid_argument);
  return decoding.errors.front().message;
}

TEST_CASE("what loses nothing is forgiven", "[operations]") {
  CHECK(decoded("limit", "10") == Value(10));
  CHECK(decoded("limit", 10.0) == Value(10));
  CHECK(decoded("limit", 0) == Value(0));
  CHECK(decoded("include_body", "true") == Value(true));
  CHECK(decoded("select", "title") == Value(List{"title"}));
  CHECK(decoded("select", R"(["a","b"])") == Value(List{"a", "b"}));
  CHECK(decoded("filters", Map{{"field", "a"}}) == Value(List{Map{{"field", "a"}}}));
  CHECK(decoded("filters", R"({"field":"a"})") == Value(List{Map{{"field", "a"}}}));
  CHECK(decoded("sort", "due") == Value(List{"due"}));
  CHECK(decoded("fields", R"({"a":1})") == Value(Map{{"a", 1}}));
  CHECK(decoded("database_id", 12) == Value("12"));
}

TEST_CASE("null and blank are absent, but an empty body is a body", "[operations]") {
  for (const char* name : {"filters", "sort", "select", "limit", "format", "fields"}) {
    CHECK(decoded(name, nullptr).is_null());
    CHECK(decoded(name, "  ").is_null());
  }
  CHECK(decoded("filters", "null").is_null());
  CHECK(decoded("body", "") == Value(""));
  CHECK(decoded("body", nullptr).is_null());
}

TEST_CASE("a list or a map of more than a thousand is refused", "[operations]") {
  Map fields;
  List names;
  for (int i = 0; i < 1001; ++i) {
    fields.push_back({"f" + std::to_string(i), 1});
    names.emplace_back("f" + std::to_string(i));
  }
  CHECK(refusal("fields", fields).find("1001 members") != std::string::npos);
  CHECK(refusal("select", names).find("1001 members") != std::string::npos);
  fields.pop_back();
  CHECK(decoded("fields", fields).map().size() == 1000);
}

TEST_CASE("of many unknown arguments the first are named", "[operations]") {
  Map given;
  for (int i = 0; i < 1000; ++i)
    given.push_back({"unknown" + std::to_string(i), 1});
  CHECK(decode(given).errors.size() == 50);
}

TEST_CASE("an error quotes what was given as far as anybody reads", "[operations]") {
  const std::string long_name(100'000, 'x');
  const Error error =
      shortened(unknown_name(ErrorCode::unknown_field, "field", long_name, {"title"})
                    .with("field", long_name));
  CHECK(to_json(to_value(error)).size() <= 600);
  CHECK(error.data.find("field")->text().size() < 150);
  const Error sentence = shortened({ErrorCode::invalid_value, long_name, Map{}});
  CHECK(sentence.message.find(" bytes more)") != std::string::npos);
  CHECK(to_json(to_value(sentence)).size() <= 600);
  const Error joined = shortened(join(std::vector<Error>(200, error)));
  CHECK(joined.data.find("errors")->list().size() == 50);
}

TEST_CASE("an error says a thing once", "[operations]") {
  std::vector<std::string> columns;
  for (int i = 0; i < 100; ++i)
    columns.push_back("column_" + std::to_string(i));
  const Error one = shortened(unknown_name(ErrorCode::unknown_field, "field", "colum", columns));
  const Value told = to_value(one);
  CHECK(to_json(told).size() <= 600);
  CHECK(told.find("message")->text().find("column_1") == std::string::npos);
  const Value& data = *told.find("data");
  CHECK(static_cast<std::int64_t>(data.find("choices")->list().size()) +
            data.find("more_choices")->integer() ==
        100);
  const std::vector<std::string> few{"asc", "desc"};
  const Error first = unknown_name(ErrorCode::invalid_argument, "direction", "up", few);
  const Error second = unknown_name(ErrorCode::invalid_argument, "direction", "down", few);
  CHECK(to_json(to_value(shortened(join({first, second})))) ==
        R"({"code":"invalid_argument","message":"unknown direction 'up'; did you mean 'asc'?; )"
        R"(unknown direction 'down'; did you mean 'desc'?","data":{)"
        R"("choices":["asc","desc"],"nearest":"asc","errors":[{"code":"invalid_argument"},)"
        R"({"code":"invalid_argument","nearest":"desc"}]}})");
  CHECK(full_message(join({first, second})) ==
        "unknown direction 'up'; did you mean 'asc'? valid: asc, desc\n"
        "unknown direction 'down'; did you mean 'desc'? valid: asc, desc");
}

TEST_CASE("a number out of range is refused with the range", "[operations]") {
  for (const Value& wrong :
       {Value(-1), Value(1.5), Value("ten"), Value("1.0x"), Value(true), Value(List{5})})
    CHECK(refusal("limit", wrong).find("limit must be a whole number of at least 0") == 0);
}

TEST_CASE("JSON text is decoded once and strictly", "[operations]") {
  refusal("filters", R"("[{\"field\":\"a\"}]")");
  refusal("filters", "[{'field':'a'}]");
  refusal("filters", "[] x");
  refusal("filters", "status");
  refusal("fields", R"({"a":1,"a":2})");
  refusal("fields", R"(["a"])");
  refusal("select", R"([1])");
}

TEST_CASE("a wrong choice names the right ones", "[operations]") {
  std::string message = refusal("format", "tabel");
  CHECK(message.find("did you mean 'table'?") != std::string::npos);
}

TEST_CASE("everything that is wrong is said at once", "[operations]") {
  Decoding decoding =
      decode_arguments(known(), Map{{"limit", -1}, {"formt", "table"}, {"fields", 1}}, Door::tools);
  REQUIRE(decoding.errors.size() == 5);
  std::string all = join(decoding.errors).message;
  for (const char* part : {"formt", "'format'", "limit", "fields", "database_id", "db_get_row"})
    CHECK(all.find(part) != std::string::npos);
}

TEST_CASE("doors may differ in what they need and what absence means", "[operations]") {
  Decoding tool = decode({{"etag", "x"}}, Door::tools);
  Decoding command = decode({}, Door::commands);
  CHECK(tool.errors.empty());
  CHECK(command.errors.empty());
  CHECK(tool.arguments.integer("limit") == 50);
  CHECK_FALSE(command.arguments.integer("limit"));
  CHECK(decode({}, Door::tools).errors.size() == 1);
}

}  // namespace
}  // namespace notesdb
