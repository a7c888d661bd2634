#include "query/aggregate.h"

#include <limits>

#include <catch2/catch.hpp>

#include "query/asking.h"

using namespace notesdb;

namespace {

MemoryTable stories() {
  Schema schema;
  schema.columns = {make_column("status", ColumnType::select, {"open", "done"}),
                    make_column("estimate", ColumnType::number),
                    make_column("due", ColumnType::date),
                    make_column("tags", ColumnType::list),
                    make_column("a:b", ColumnType::text),
                    make_column("data", ColumnType::json)};
  return {
      schema,
      {{"r1",
        {{"status", "open"}, {"estimate", 3}, {"due", "2026-01-31"}, {"tags", List{"x", "y"}}},
        "",
        0},
       {"r2",
        {{"status", "done"}, {"estimate", 4}, {"due", "2026-02-01"}, {"tags", List{"x"}}},
        "",
        0},
       {"r3", {{"status", "open"}, {"estimate", 0.5}, {"due", "soon"}, {"tags", List{}}}, "", 0},
       {"r4", {{"status", nullptr}, {"estimate", "many"}, {"a:b", "c"}}, "", 0},
       {"r5", {{"data", Map{{"n", List{1, 2}}}}, {"status", ""}}, "", 0}}};
}

std::string grouped(const Value& group_by, const Value& metrics = {}, const Value& sort = {}) {
  return groups_of(stories(), {{}, group_by, metrics, sort, {}});
}

Value metric(std::string_view function, std::string_view field, std::string_view as = "m") {
  return Map{{"function", function}, {"field", field}, {"as", as}};
}

}  // namespace

TEST_CASE("rows are counted in groups, null first", "[query]") {
  CHECK(grouped("status") ==
        R"({"status": null, "count": 1} {"status": "", "count": 1} {"status": "done", "count": 1} )"
        R"({"status": "open", "count": 2})");
  CHECK(grouped(Value()) == R"({"count": 5})");
  CHECK(grouped("a:b") == R"({"a:b": null, "count": 4} {"a:b": "c", "count": 1})");
}

TEST_CASE("each element of a list counts", "[query]") {
  CHECK(grouped("tags") ==
        R"({"tags": null, "count": 3} {"tags": "x", "count": 2} {"tags": "y", "count": 1})");
  CHECK(
      grouped("data.n[]") ==
      R"({"data.n[]": null, "count": 4} {"data.n[]": 1, "count": 1} {"data.n[]": 2, "count": 1})");
  CHECK(grouped(List{"tags", "status"}, metric("sum", "estimate")) ==
        R"({"tags": null, "status": null, "m": null} {"tags": null, "status": "", "m": null} )"
        R"({"tags": null, "status": "open", "m": 0.5} {"tags": "x", "status": "done", "m": 4} )"
        R"({"tags": "x", "status": "open", "m": 3} {"tags": "y", "status": "open", "m": 3})");
}

TEST_CASE("dates are grouped by their period, what is not a date by itself", "[query]") {
  CHECK(grouped("due:month") ==
        R"({"due:month": null, "count": 2} {"due:month": "2026-01", "count": 1} )"
        R"({"due:month": "2026-02", "count": 1} {"due:month": "soon", "count": 1})");
  CHECK(grouped(Map{{"field", "due"}, {"by", "week"}}) ==
        R"({"due:week": null, "count": 2} {"due:week": "2026-W05", "count": 2} )"
        R"({"due:week": "soon", "count": 1})");
  CHECK(grouped(List{"due:year", "due:quarter"}).find("2026-Q1") != std::string::npos);
}

TEST_CASE("each function counts what it should", "[query]") {
  CHECK(grouped({}, metric("count", "due")) == R"({"m": 3})");
  CHECK(grouped({}, metric("count", "status")) == R"({"m": 3})");
  CHECK(grouped({}, metric("count", "tags")) == R"({"m": 2})");
  CHECK(grouped({}, metric("count_distinct", "tags")) == R"({"m": 2})");
  CHECK(grouped({}, metric("count_distinct", "status")) == R"({"m": 2})");
  CHECK(grouped({}, metric("sum", "estimate")) == R"({"m": 7.5})");
  CHECK(grouped({}, metric("avg", "estimate")) == R"({"m": 2.5})");
  CHECK(grouped({}, metric("min", "due")) == R"({"m": "2026-01-31"})");
  CHECK(grouped({}, metric("max", "status")) == R"({"m": "open"})");
  CHECK(grouped({}, metric("sum", "data.n[]")) == R"({"m": 3})");
  CHECK(grouped({}, "sum:estimate") == R"({"sum_estimate": 7.5})");
  CHECK(grouped({}, List{"count", "max:estimate"}) == R"({"count": 5, "max_estimate": 4})");
}

TEST_CASE("no rows make one group without group_by and none with it", "[query]") {
  AggregateArguments none{
      triple("status", "eq", "nothing"), {}, List{"count", "sum:estimate"}, {}, {}};
  CHECK(groups_of(stories(), none) == R"({"count": 0, "sum_estimate": null})");
  none.group_by = "status";
  CHECK(groups_of(stories(), none) == "");
}

TEST_CASE("an aggregate over bodies fails where a body cannot be read", "[query]") {
  MemoryTable table = stories();
  CHECK(groups_of(table, {{}, "_body", {}, {}, {}}) == R"({"_body": "", "count": 5})");
  table.lose_bodies();
  CHECK(groups_of(table, {{}, "_body", {}, {}, {}}) == "! the disk is gone");
  CHECK(groups_of(table, {{}, {}, "min:_body", {}, {}}) == "! the disk is gone");
}

TEST_CASE("groups are filtered, sorted and limited, and total counts them all", "[query]") {
  MemoryTable table = stories();
  AggregateArguments arguments{triple("estimate", "is_not_empty"),
                               "status",
                               {},
                               Map{{"field", "count"}, {"direction", "desc"}},
                               2};
  CHECK(groups_of(table, arguments) ==
        R"({"status": "open", "count": 2} {"status": null, "count": 1})");
  auto aggregate = parse_aggregate(arguments, table.schema(), test_clock());
  CHECK(run_aggregate(table, *aggregate)->total == 3);
}

TEST_CASE("whole sums are exact and say when they cannot be", "[query]") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  auto sum_of = [](const List& numbers) {
    Schema schema;
    schema.columns = {make_column("n", ColumnType::number)};
    std::vector<MemoryRow> rows;
    for (const Value& number : numbers)
      rows.push_back({"r" + std::to_string(rows.size()), {{"n", number}}, "", 0});
    MemoryTable table(schema, rows);
    auto aggregate = parse_aggregate({{}, {}, "sum:n", {}, {}}, schema, test_clock());
    return *run_aggregate(table, *aggregate);
  };
  CHECK(to_display(sum_of({most - 1, 1}).rows[0]) == R"({"sum_n": 9223372036854775807})");
  CHECK(sum_of({most - 1, 1}).notice.empty());
  CHECK(sum_of({most, most}).rows[0].find("sum_n")->real() == 18446744073709551614.0);
  CHECK(sum_of({most, most}).notice == "'sum_n' exceeds 64 bits and is rounded");
  CHECK(sum_of({0.1, 0.2, 0.3, -0.6, 1e16, 1.0, -1e16}).rows[0].find("sum_n")->real() ==
        Approx(1.0).epsilon(1e-12));
}

TEST_CASE("what is wrong with an aggregate is said at once", "[query]") {
  auto refused = [](const AggregateArguments& arguments) {
    std::string answer = groups_of(stories(), arguments);
    CHECK(answer.starts_with("! "));
    return answer;
  };
  std::string all = refused({triple("staus", "eq", 1), "stats", "summ:estimate", {}, -1});
  for (std::string_view part : {"'staus'", "'stats'", "'summ'", "'limit'"})
    CHECK(all.find(part) != std::string::npos);
  CHECK(refused({{}, "due:hour", {}, {}, {}}).find("'hour'") != std::string::npos);
  refused({{}, "status:month", {}, {}, {}});
  refused({{}, List{"status", "due", "tags", "a:b"}, {}, {}, {}});
  refused({{}, List{"status", "status"}, {}, {}, {}});
  refused({{}, {}, List{"count", "count"}, {}, {}});
  refused({{}, {}, "sum", {}, {}});
  refused({{}, {}, "sum:status", {}, {}});
  refused({{}, {}, Map{{"function", "average"}, {"field", "estimate"}}, {}, {}});
  refused({{}, {}, Map{{"function", "count"}, {"name", "x"}}, {}, {}});
  refused({{}, {}, 5, {}, {}});
  CHECK(refused({{}, "status", {}, "counts", {}}).find("did you mean 'count'") !=
        std::string::npos);
}
