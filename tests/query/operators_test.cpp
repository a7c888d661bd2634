// Every operator on every column type, over a value, missing, null, empty and what does not fit.
#include "query/operators.h"

#include <catch2/catch.hpp>

#include "query/asking.h"

using namespace notesdb;

namespace {

// Rows named by what they hold in the one column `f`; "missing" has no such field.
MemoryTable table_of(const Column& column, const std::vector<std::pair<std::string, Value>>& held) {
  Schema schema;
  schema.columns = {column};
  std::vector<MemoryRow> rows{{"missing", {}, "", 0}};
  for (const auto& [id, value] : held)
    rows.push_back({id, {{"f", value}}, "", 0});
  return {schema, rows};
}

std::string f(const MemoryTable& table, std::string_view operation, Value value = {}) {
  return ids_where(table, triple("f", operation, std::move(value)));
}

bool refused(const std::string& answer) {
  return answer.starts_with("! ");
}

}  // namespace

TEST_CASE("operators on text", "[query]") {
  for (ColumnType type : {ColumnType::text, ColumnType::select, ColumnType::url}) {
    MemoryTable table = table_of(
        make_column("f", type),
        {{"ab", "Ab"}, {"b", "b"}, {"empty", ""}, {"null", nullptr}, {"unfit", List{"b", "x"}}});
    CHECK(f(table, "eq", "Ab") == "ab");
    CHECK(f(table, "eq", "ab") == "");
    CHECK(f(table, "neq", "b") == "ab empty missing null unfit");
    CHECK(f(table, "gt", "Ab") == "b");
    CHECK(f(table, "gte", "Ab") == "ab b");
    CHECK(f(table, "lt", "b") == "ab empty");
    CHECK(f(table, "lte", "b") == "ab b empty");
    CHECK(f(table, "contains", "B") == "ab b unfit");
    CHECK(f(table, "not_contains", "a") == "b empty missing null unfit");
    CHECK(f(table, "starts_with", "aB") == "ab");
    CHECK(f(table, "ends_with", "B") == "ab b");
    CHECK(f(table, "is_empty") == "empty missing null");
    CHECK(f(table, "is_not_empty") == "ab b unfit");
    CHECK(f(table, "in", List{"b", "c"}) == "b unfit");
    CHECK(f(table, "in", List{}) == "");
    CHECK(f(table, "in", "b") == "b unfit");
    CHECK(f(table, "not_in", List{"b"}) == "ab empty missing null");
    CHECK(f(table, "matches", "^[Ab]+$") == "ab b unfit");
  }
}

TEST_CASE("operators on numbers", "[query]") {
  MemoryTable table = table_of(make_column("f", ColumnType::number),
                               {{"one", 1},
                                {"onepoint", 1.0},
                                {"two", 2.5},
                                {"zero", 0},
                                {"big", std::int64_t{9007199254740993}},
                                {"huge", "123456789012345678901234567890"},
                                {"null", nullptr},
                                {"unfit", "seven"}});
  CHECK(f(table, "eq", 1) == "one onepoint");
  CHECK(f(table, "eq", "1.0") == "one onepoint");
  CHECK(f(table, "eq", 9007199254740992.0) == "");
  CHECK(f(table, "eq", "9007199254740993") == "big");
  CHECK(f(table, "eq", "123456789012345678901234567890") == "huge");
  CHECK(f(table, "neq", 1) == "big huge missing null two unfit zero");
  CHECK(f(table, "gt", 1) == "big two");
  CHECK(f(table, "gte", 1) == "big one onepoint two");
  CHECK(f(table, "lt", 1) == "zero");
  CHECK(f(table, "lte", "1") == "one onepoint zero");
  CHECK(f(table, "is_empty") == "missing null");
  CHECK(f(table, "is_not_empty") == "big huge one onepoint two unfit zero");
  CHECK(f(table, "in", List{1, "2.5"}) == "one onepoint two");
  CHECK(f(table, "not_in", List{1, 0}) == "big huge missing null two unfit");
  for (std::string_view operation :
       {"contains", "not_contains", "starts_with", "ends_with", "matches"}) {
    CHECK(refused(f(table, operation, "1")));
  }
  CHECK(f(table, "eq", "seven") == "! 'f' takes a number, not \"seven\"");
  CHECK(refused(f(table, "eq", true)));
  CHECK(refused(f(table, "eq", List{1})));
}

TEST_CASE("operators on dates", "[query]") {
  for (ColumnType type : {ColumnType::date, ColumnType::datetime}) {
    MemoryTable table = table_of(make_column("f", type),
                                 {{"day", "2026-01-31"},
                                  {"late", "2026-01-31 23:00"},
                                  {"zone", "2026-02-01T01:00:00+02:00"},
                                  {"null", nullptr},
                                  {"empty", ""},
                                  {"epoch", std::int64_t{1667692800000}},
                                  {"unfit", "soon"}});
    CHECK(f(table, "eq", "2026-01-31T00:00") == "day");
    CHECK(f(table, "eq", "2026-01-31T23:00:00Z") == "late zone");
    CHECK(f(table, "eq", "today") == "day");
    CHECK(f(table, "neq", "2026-01-31") == "empty epoch late missing null unfit zone");
    CHECK(f(table, "gt", "today") == "late zone");
    CHECK(f(table, "gt", "now") == "late zone");
    CHECK(f(table, "gte", "2026-01-31") == "day late zone");
    CHECK(f(table, "lt", "today+1d") == "day late zone");
    CHECK(f(table, "lte", "2026-01-31") == "day");
    CHECK(f(table, "contains", "t01") == "zone");
    CHECK(f(table, "contains", 1667) == "epoch");
    CHECK(f(table, "not_contains", "2026") == "empty epoch missing null unfit");
    CHECK(f(table, "starts_with", "2026-01") == "day late");
    CHECK(f(table, "ends_with", "OON") == "unfit");
    CHECK(f(table, "is_empty") == "empty missing null");
    CHECK(f(table, "is_not_empty") == "day epoch late unfit zone");
    CHECK(f(table, "in", List{"today", "2026-01-31T23:00"}) == "day late zone");
    CHECK(f(table, "not_in", List{"2026-01-31T23:00"}) == "day empty epoch missing null unfit");
    CHECK(f(table, "matches", "^2026-0[12]") == "day late zone");
    CHECK(refused(f(table, "lt", "soon")));
    CHECK(refused(f(table, "lt", 20260131)));
  }
}

TEST_CASE("operators on checkboxes", "[query]") {
  MemoryTable table =
      table_of(make_column("f", ColumnType::checkbox),
               {{"no", false}, {"null", nullptr}, {"unfit", "maybe"}, {"yes", true}});
  CHECK(f(table, "eq", true) == "yes");
  CHECK(f(table, "eq", "false") == "no");
  CHECK(f(table, "neq", true) == "missing no null unfit");
  CHECK(f(table, "is_empty") == "missing null");
  CHECK(f(table, "is_not_empty") == "no unfit yes");
  CHECK(f(table, "in", List{true, "false"}) == "no yes");
  CHECK(f(table, "not_in", List{true}) == "missing no null unfit");
  for (std::string_view operation : {"gt",
                                     "gte",
                                     "lt",
                                     "lte",
                                     "contains",
                                     "not_contains",
                                     "starts_with",
                                     "ends_with",
                                     "matches"}) {
    CHECK(refused(f(table, operation, true)));
  }
  CHECK(refused(f(table, "eq", 1)));
  CHECK(refused(f(table, "eq", "yes")));
}

TEST_CASE("operators on lists", "[query]") {
  for (ColumnType type : {ColumnType::list, ColumnType::multi_select}) {
    MemoryTable table = table_of(make_column("f", type),
                                 {{"ab", List{"a", "B"}},
                                  {"ba", List{"B", "a"}},
                                  {"empty", List{}},
                                  {"nulls", List{nullptr}},
                                  {"null", nullptr},
                                  {"unfit", "a"}});
    CHECK(f(table, "eq", List{"a", "B"}) == "ab");
    CHECK(f(table, "eq", List{}) == "empty");
    CHECK(f(table, "neq", List{"a", "B"}) == "ba empty missing null nulls unfit");
    CHECK(f(table, "contains", "A") == "ab ba unfit");
    CHECK(f(table, "contains", "b") == "ab ba");
    CHECK(f(table, "not_contains", "b") == "empty missing null nulls unfit");
    CHECK(f(table, "is_empty") == "empty missing null nulls");
    CHECK(f(table, "is_not_empty") == "ab ba unfit");
    CHECK(f(table, "in", List{"B", "z"}) == "ab ba");
    CHECK(f(table, "in", List{"b"}) == "");
    CHECK(f(table, "not_in", List{"B"}) == "empty missing null nulls unfit");
    CHECK(f(table, "matches", "^[AB]") == "ab ba");
    for (std::string_view operation : {"gt", "gte", "lt", "lte", "starts_with", "ends_with"}) {
      CHECK(refused(f(table, operation, "a")));
    }
    CHECK(f(table, "eq", "a").find("use 'contains'") != std::string::npos);
  }
}

TEST_CASE("operators on relations compare the row that is named", "[query]") {
  Column column = make_column("f", ColumnType::relation);
  column.target = "people";
  MemoryTable table = table_of(column,
                               {{"alias", "[[ann|Ann B]]"},
                                {"full", "people/ann"},
                                {"link", "[Ann](../people/ann.md)"},
                                {"null", nullptr},
                                {"other", "bob"},
                                {"plain", "ann"}});
  CHECK(f(table, "eq", "ann") == "alias full link plain");
  CHECK(f(table, "eq", "[[people/ann]]") == "alias full link plain");
  CHECK(f(table, "neq", "ann") == "missing null other");
  CHECK(f(table, "in", List{"[[bob]]", "x"}) == "other");
  CHECK(f(table, "gt", "ann") == "other");
  CHECK(f(table, "contains", "NN") == "alias full link plain");
  CHECK(f(table, "is_empty") == "missing null");

  column.multiple = true;
  MemoryTable many = table_of(column, {{"both", List{"[[ann]]", "bob"}}, {"one", List{"bob"}}});
  CHECK(f(many, "contains", "people/ann") == "both");
  CHECK(f(many, "eq", List{"ann", "[[bob]]"}) == "both");
  CHECK(f(many, "not_in", List{"ann"}) == "missing one");
}

TEST_CASE("operators inside json compare by the kind that stands there", "[query]") {
  auto releases = [](Value cycle) {
    return List{Map{{"cycle", std::move(cycle)}}, Map{{"eol", "2026-02-01"}}};
  };
  MemoryTable table =
      table_of(make_column("f", ColumnType::json),
               {{"list", List{"Red", 3}},
                {"map", Map{{"a.b", Map{{"c", 7}}}, {"epic", "E-1"}, {"done", true}}},
                {"number", 5},
                {"releases", Map{{"releases", releases("1.10")}}},
                {"text", "Red"}});
  CHECK(f(table, "eq", 5) == "number");
  CHECK(f(table, "eq", "5") == "number");
  CHECK(f(table, "gt", 4) == "number");
  CHECK(f(table, "contains", "red") == "list text");
  CHECK(f(table, "contains", 3) == "list");
  CHECK(f(table, "eq", List{"Red", 3.0}) == "list");
  CHECK(f(table, "is_empty") == "missing");
  auto inside = [&](std::string_view path, std::string_view operation, Value value = {}) {
    return ids_where(table, triple("f" + std::string(path), operation, std::move(value)));
  };
  CHECK(inside(".epic", "eq", "E-1") == "map");
  CHECK(inside(".epic", "neq", "E-1") == "list missing number releases text");
  CHECK(inside(".done", "eq", "true") == "map");
  CHECK(inside(".a.b.c", "gte", "7") == "map");
  CHECK(inside(".0", "eq", "Red") == "list");
  CHECK(inside(".releases[].cycle", "eq", "1.10") == "releases");
  CHECK(inside(".releases[].cycle", "not_in", List{"1.10"}) == "list map missing number text");
  CHECK(inside(".releases.0.cycle", "starts_with", "1") == "releases");
  CHECK(inside(".releases[].eol", "gt", "today") == "releases");
  CHECK(inside(".releases[].nothing", "is_empty") == "list map missing number releases text");
  CHECK(inside("[]", "eq", 3) == "list");
  CHECK(refused(inside("..epic", "eq", "E-1")));
}

TEST_CASE("pseudo-fields stand for what is not in the front matter", "[query]") {
  Schema schema;
  schema.columns = {make_column("f", ColumnType::text)};
  // 2026-01-31 08:30 UTC is now on the test's clock.
  MemoryTable table(schema,
                    {{"row-9", {}, "Some Body", 1'769'848'200},
                     {"row-10", {{"f", "x"}}, "", 1'769'848'199},
                     {"sub/a", {}, "other", 0}});
  CHECK(ids_where(table, triple("_id", "eq", "row-9")) == "row-9");
  CHECK(ids_where(table, triple("row_id", "gt", "row-9")) == "row-10 sub/a");
  CHECK(ids_where(table, triple("_path", "starts_with", "db/sub/")) == "sub/a");
  CHECK(ids_where(table, triple("_body", "contains", "some body")) == "row-9");
  CHECK(ids_where(table, triple("_body", "is_empty")) == "row-10");
  CHECK(ids_where(table, triple("_modified", "gte", "now")) == "row-9");
  CHECK(ids_where(table, triple("_modified", "eq", "2026-01-31T08:30:00Z")) == "row-9");
  CHECK(ids_where(table, triple("_modified", "gte", "today")) == "row-9 row-10");

  schema.columns.push_back(make_column("row_id", ColumnType::text));
  MemoryTable own(schema, {{"a", {{"row_id", "z"}}, "", 0}, {"z", {}, "", 0}});
  CHECK(ids_where(own, triple("row_id", "eq", "z")) == "a");
}

TEST_CASE("a body is read only for rows that pass everything else", "[query]") {
  Schema schema;
  schema.columns = {make_column("f", ColumnType::text)};
  MemoryTable table(
      schema, {{"a", {{"f", "x"}}, "yes", 0}, {"b", {}, "yes", 0}, {"c", {{"f", "x"}}, "no", 0}});
  CHECK(ids_where(table, List{triple("_body", "eq", "yes"), triple("f", "eq", "x")}) == "a");
  CHECK(table.bodies_read() == 2);
  table.lose_bodies();
  CHECK(ids_where(table, triple("_body", "neq", "yes")) == "! the disk is gone");
}
