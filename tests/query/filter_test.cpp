#include "query/filter.h"

#include <catch2/catch.hpp>

#include "query/asking.h"

using namespace notesdb;

namespace {

Schema story_schema() {
  Schema schema;
  schema.columns = {make_column("title", ColumnType::text),
                    make_column("status", ColumnType::select, {"open", "done"}),
                    make_column("estimate", ColumnType::number),
                    make_column("due", ColumnType::date),
                    make_column("tags", ColumnType::list),
                    make_column("links", ColumnType::json),
                    make_column("ms.date", ColumnType::date)};
  return schema;
}

MemoryTable stories() {
  return {story_schema(),
          {{"row-1", {{"title", "One"}, {"status", "open"}, {"estimate", 3}}, "", 0},
           {"row-2", {{"title", "Two"}, {"status", "done"}, {"ms.date", "2026-01-01"}}, "", 0},
           {"row-10", {{"title", "Ten"}, {"links", Map{{"epic", "E"}}}}, "", 0}}};
}

std::string nearest(const Value& filters) {
  Error error = refusal(story_schema(), filters);
  const Value* found = error.data.find("nearest");
  return found == nullptr ? "" : found->text();
}

std::string message(const Value& filters) {
  return refusal(story_schema(), filters).message;
}

ErrorCode code(const Value& filters) {
  return refusal(story_schema(), filters).code;
}

}  // namespace

TEST_CASE("filters are ANDed and an any is ORed", "[query]") {
  MemoryTable table = stories();
  Value open = triple("status", "eq", "open");
  Value big = triple("estimate", "gte", 3);
  CHECK(ids_where(table, List{open, big}) == "row-1");
  CHECK(ids_where(table, List{open, triple("title", "eq", "Two")}) == "");
  CHECK(ids_where(table, Map{{"any", List{open, triple("title", "eq", "Ten")}}}) == "row-1 row-10");
  CHECK(ids_where(table,
                  List{Map{{"any", List{open, triple("title", "eq", "Ten")}}},
                       triple("estimate", "is_empty")}) == "row-10");
  CHECK(ids_where(table, Map{{"any", open}}) == "row-1");
}

TEST_CASE("no filter is every row in natural order", "[query]") {
  MemoryTable table = stories();
  for (const Value& nothing : {Value(), Value(""), Value(" \n"), Value(List{})}) {
    CHECK(ids_where(table, nothing) == "row-1 row-2 row-10");
  }
}

TEST_CASE("a column whose id is exactly the text wins over a path", "[query]") {
  CHECK(ids_where(stories(), triple("ms.date", "eq", "2026-01-01")) == "row-2");
  CHECK(ids_where(stories(), triple("links.epic", "eq", "E")) == "row-10");
}

TEST_CASE("an unknown name is refused with the nearest", "[query]") {
  CHECK(nearest(triple("staus", "eq", "open")) == "status");
  CHECK(nearest(triple("status", "equals", "open")) == "eq");
  CHECK(nearest(triple("due", "before", "today")) == "lt");
  CHECK(nearest(triple("due", "after", "today")) == "gt");
  CHECK(nearest(triple("id", "eq", "row-1")) == "_id");
  CHECK(nearest(triple("lnks.epic", "eq", "E")) == "links.epic");
  CHECK(nearest(triple("tags", "starts_with", "a")) == "contains");
  CHECK(nearest(Map{{"feild", "status"}, {"operator", "is_empty"}}) == "field");
  CHECK(code(triple("staus", "eq", "open")) == ErrorCode::unknown_field);
  CHECK(code(triple("status", "equals", "open")) == ErrorCode::unknown_operator);
  CHECK(code(triple("tags", "gt", "a")) == ErrorCode::unknown_operator);
  CHECK(message(triple("staus", "eq", "open")) == "unknown field 'staus'; did you mean 'status'?");
  CHECK(message(triple("estimate", "contains", "3")) ==
        "operator 'contains' does not suit 'estimate', which is number");
  CHECK(message(triple("title.x", "eq", "1")).find("'title' is text") != std::string::npos);
}

TEST_CASE("keys of other languages are refused with ours", "[query]") {
  CHECK(message(Map{{"or", List{triple("status", "eq", "open")}}}) ==
        "unknown filter key 'or'; write {\"any\": [filter, ...]}");
  CHECK(nearest(Map{{"$or", List{triple("status", "eq", "open")}}}) == "any");
  CHECK(message(Map{{"and", List{}}}).find("list of filters") != std::string::npos);
  CHECK(message(Map{{"field", "status"}, {"op", "eq"}, {"value", "open"}}) ==
        "unknown filter key 'op'; did you mean 'operator'?");
}

TEST_CASE("a missing and a surplus value are refused", "[query]") {
  CHECK(message(triple("status", "eq")).find("needs a value") != std::string::npos);
  CHECK(message(triple("status", "is_empty", true)) ==
        "operator 'is_empty' on 'status' takes no value");
  CHECK(message(triple("estimate", "in", List{1, "two", nullptr, "x"})).find("\"x\"") !=
        std::string::npos);
  CHECK(code(triple("estimate", "eq", "seven")) == ErrorCode::invalid_value);
}

TEST_CASE("what is no filter is refused", "[query]") {
  for (const Value& wrong : {Value(5),
                             Value("status = done"),
                             Value(List{5}),
                             Value(List{List{}}),
                             Value(Map{}),
                             Value(Map{{"any", List{}}}),
                             Value(Map{{"any", nullptr}}),
                             Value(Map{{"any", List{triple("title", "is_empty")}}, {"all", 1}}),
                             Value(Map{{"any", Map{{"any", List{}}}}}),
                             Value(Map{{"field", 1}, {"operator", "eq"}, {"value", 1}}),
                             Value(Map{{"status", "open"}})}) {
    INFO(to_display(wrong));
    CHECK(code(wrong) == ErrorCode::invalid_argument);
    CHECK_FALSE(message(wrong).empty());
  }
}

TEST_CASE("everything that is wrong is said at once", "[query]") {
  Error error = refusal(story_schema(),
                        List{triple("staus", "equals", 1),
                             triple("estimate", "eq", "seven"),
                             Map{{"any", List{triple("due", "lt", "soon")}}}});
  CHECK(error.data.find("errors")->list().size() == 4);
  for (std::string_view part : {"'staus'", "'equals'", "\"seven\"", "\"soon\""})
    CHECK(error.message.find(part) != std::string::npos);
}

TEST_CASE("values are coerced only without loss", "[query]") {
  MemoryTable table = stories();
  CHECK(ids_where(table, triple("estimate", "eq", "3")) == "row-1");
  CHECK(ids_where(table, triple("title", "neq", 7)) == "row-1 row-2 row-10");
  CHECK(code(triple("title", "eq", 1.5)) == ErrorCode::invalid_value);
  CHECK(code(triple("title", "eq", List{"One"})) == ErrorCode::invalid_value);
  CHECK(code(triple("estimate", "eq", "0x10")) == ErrorCode::invalid_value);
  CHECK(code(triple("estimate", "eq", "nan")) == ErrorCode::invalid_value);
  CHECK(code(triple("estimate", "eq", "")) == ErrorCode::invalid_value);
}

TEST_CASE("a pattern that is wrong or too long is refused", "[query]") {
  CHECK(code(triple("title", "matches", "a(")) == ErrorCode::invalid_value);
  CHECK(code(triple("title", "matches", "(?=a)")) == ErrorCode::invalid_value);
  CHECK(code(triple("title", "matches", std::string(1001, 'a'))) == ErrorCode::invalid_value);
  CHECK(message(triple("title", "matches", std::string(1000, 'a'))).empty());
  CHECK(code(triple("title", "matches", "((a{100}){100}){100}")) == ErrorCode::invalid_value);
}

TEST_CASE("a value that is not an option is explained when nothing is found", "[query]") {
  auto notice = [](const Value& filters) {
    MemoryTable table = stories();
    Result<Filter> filter = parse_filter(filters, table.schema(), test_clock());
    return run_query(table, {*filter, {}, {}})->notice;
  };
  CHECK(notice(triple("status", "eq", "Done")) ==
        "'Done' is not an option of 'status'; options: open, done; did you mean 'done'?");
  CHECK(notice(triple("status", "eq", "open")).empty());
  CHECK(notice(List{triple("status", "eq", "open"), triple("title", "eq", "x")}).empty());
}
