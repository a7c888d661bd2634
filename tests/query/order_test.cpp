#include "query/order.h"

#include <catch2/catch.hpp>

#include "query/asking.h"

using namespace notesdb;

namespace {

MemoryTable table() {
  Schema schema;
  schema.columns = {make_column("n", ColumnType::number),
                    make_column("done", ColumnType::checkbox),
                    make_column("due", ColumnType::date),
                    make_column("title", ColumnType::text),
                    make_column("data", ColumnType::json)};
  return {schema,
          {{"row-1",
            {{"n", 10}, {"done", true}, {"due", "2026-02-01T01:00+02:00"}, {"title", "b"}},
            "z",
            3},
           {"row-2", {{"n", 9.5}, {"done", false}, {"due", "2026-01-31"}, {"title", "B"}}, "y", 2},
           {"row-9", {{"n", nullptr}, {"due", "soon"}, {"title", "\u00e4"}}, "x", 1},
           {"row-10", {{"n", "x"}, {"due", "2026-01-31 23:30"}, {"data", Map{{"a", 1}}}}, "w", 9}}};
}

}  // namespace

TEST_CASE("each kind is sorted its own way, missing before present", "[query]") {
  CHECK(ids_sorted(table(), "n") == "row-9 row-2 row-1 row-10");
  CHECK(ids_sorted(table(), Map{{"field", "n"}, {"direction", "desc"}}) ==
        "row-10 row-1 row-2 row-9");
  CHECK(ids_sorted(table(), "done") == "row-9 row-10 row-2 row-1");
  CHECK(ids_sorted(table(), "due") == "row-2 row-1 row-10 row-9");
  CHECK(ids_sorted(table(), "title") == "row-10 row-2 row-1 row-9");
  CHECK(ids_sorted(table(), "data.a") == "row-1 row-2 row-9 row-10");
  CHECK(ids_sorted(table(), "_modified") == "row-9 row-2 row-1 row-10");
  CHECK(ids_sorted(table(), "_body") == "row-10 row-9 row-2 row-1");
  CHECK(ids_sorted(table(), "_path") == "row-1 row-10 row-2 row-9");
}

TEST_CASE("a sort is written as people write it", "[query]") {
  const std::string descending = "row-9 row-10 row-1 row-2";
  REQUIRE(ids_sorted(table(), Map{{"field", "due"}, {"direction", "desc"}}) == descending);
  for (const char* text : {"due desc", "due:desc", "-due", "due DESC", " due  desc "}) {
    INFO(text);
    CHECK(ids_sorted(table(), text) == descending);
  }
  CHECK(ids_sorted(table(), "due asc") == ids_sorted(table(), "due"));
  CHECK(ids_sorted(table(), "done, n desc") == "row-10 row-9 row-2 row-1");
  CHECK(ids_sorted(table(), List{"done", "n:desc"}) == "row-10 row-9 row-2 row-1");
}

TEST_CASE("options have an order of their own", "[query]") {
  Schema schema;
  Column status = make_column("status", ColumnType::select);
  status.options = {"todo", "doing", "done"};
  Column odd = make_column("-odd desc", ColumnType::number);
  schema.columns = {status, odd};
  const MemoryTable rows(schema,
                         {{"a", {{"status", "done"}, {"-odd desc", 2}}, "", 0},
                          {"b", {{"status", "todo"}, {"-odd desc", 1}}, "", 0},
                          {"c", {{"status", "gone"}}, "", 0},
                          {"d", {}, "", 0},
                          {"e", {{"status", "doing"}}, "", 0}});
  CHECK(ids_sorted(rows, "status") == "d e a c b");
  CHECK(ids_sorted(rows, "status:options") == "d b e a c");
  CHECK(ids_sorted(rows, "-status:options") == "c a e b d");
  CHECK(ids_sorted(rows, "status:options:desc") == "c a e b d");
  CHECK(ids_sorted(rows, Map{{"field", "status:options"}, {"direction", "desc"}}) == "c a e b d");
  // A column of exactly this name wins.
  CHECK(ids_sorted(rows, "-odd desc") == "c d e b a");
}

TEST_CASE("row ids are sorted naturally and break every tie", "[query]") {
  CHECK(ids_sorted(table(), Value()) == "row-1 row-2 row-9 row-10");
  CHECK(ids_sorted(table(), Map{{"field", "_id"}, {"direction", "desc"}}) ==
        "row-10 row-9 row-2 row-1");
  CHECK(ids_sorted(table(), Map{{"field", "data.nothing"}, {"direction", "desc"}}) ==
        "row-1 row-2 row-9 row-10");
}

TEST_CASE("later sorts decide where earlier ones are equal", "[query]") {
  CHECK(ids_sorted(table(), List{"done", Map{{"field", "_id"}, {"direction", "desc"}}}) ==
        "row-10 row-9 row-2 row-1");
}

TEST_CASE("sorts with more values than 64 bits hold together still sort", "[query]") {
  Schema schema;
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"})
    schema.columns.push_back(make_column(id, ColumnType::number));
  std::vector<MemoryRow> rows;
  for (int i = 0; i < 2000; ++i) {
    MemoryRow row{"row-" + std::to_string(i), {}, "", 0};
    // All but the last column are the same in two neighbours, which the last puts the other way.
    for (const Column& column : schema.columns)
      row.fields.push_back({column.id, column.id == "g" ? -i : i / 2});
    rows.push_back(row);
  }
  MemoryTable many(schema, rows);
  std::string ids = ids_sorted(many, List{"a", "b", "c", "d", "e", "f", "g"});
  CHECK(ids.starts_with("row-1 row-0 row-3 row-2 row-5 row-4 "));
  CHECK(ids.ends_with(" row-1999 row-1998"));
}

TEST_CASE("what is no sort is refused", "[query]") {
  CHECK(ids_sorted(table(), "titel").find("did you mean 'title'") != std::string::npos);
  CHECK(ids_sorted(table(), Map{{"field", "n"}, {"direction", "descending"}}) ==
        "! unknown direction 'descending'; did you mean 'desc'?");
  CHECK(ids_sorted(table(), "due:decs") == "! unknown direction 'decs'; did you mean 'desc'?");
  CHECK(ids_sorted(table(), "duo:desc").find("did you mean 'due'") != std::string::npos);
  CHECK(ids_sorted(table(), "due:options").find("no options") != std::string::npos);
  CHECK(ids_sorted(table(), Map{{"field", "n"}, {"order", "desc"}}) ==
        "! unknown sort key 'order'; did you mean 'direction'?");
  CHECK(ids_sorted(table(), Map{{"column", "n"}}).find("'column'") != std::string::npos);
  CHECK(ids_sorted(table(), List{"x", Map{{"field", "n"}, {"direction", 1}}}).starts_with("! "));
  CHECK(ids_sorted(table(), List{"x", "y"}).find("'y'") != std::string::npos);
  CHECK(ids_sorted(table(), 5).starts_with("! "));
}

TEST_CASE("a page is refused by name unless it is whole and not negative", "[query]") {
  auto page = parse_page("10", 2.0, {});
  REQUIRE(page);
  CHECK(page->limit == 10);
  CHECK(page->offset == 2);
  CHECK(parse_page(0, {}, {})->limit == 0);
  CHECK(parse_page(nullptr, " ", {3, 7})->limit == 7);
  CHECK(parse_page(nullptr, " ", {3, 7})->offset == 3);
  for (const Value& wrong :
       {Value(-1), Value(1.5), Value("ten"), Value(true), Value(List{}), Value("1e99")}) {
    INFO(to_display(wrong));
    CHECK_FALSE(parse_page(wrong, {}, {}));
  }
  auto both = parse_page(-1, "x", {});
  CHECK(both.error().message ==
        "'limit' must be a whole number from 0 to 9007199254740992, not -1; "
        "'offset' must be a whole number from 0 to 9007199254740992, not \"x\"");
}
