// Laws that hold for every table and every question, tried on random ones.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "query/asking.h"
#include "query/reference.h"

using namespace notesdb;

namespace {

std::vector<std::uint32_t> rows_of(const MemoryTable& table,
                                   const Value& filters,
                                   const Value& sorts,
                                   Page page) {
  Result<Filter> filter = parse_filter(filters, table.schema(), test_clock());
  Result<Order> order = parse_order(sorts, table.schema());
  INFO(to_display(filters) << (filter ? "" : filter.error().message));
  REQUIRE(filter);
  REQUIRE(order);
  return run_query(table, {*filter, *order, page})->rows;
}

std::vector<std::uint32_t> expected(const MemoryTable& table,
                                    const Value& filters,
                                    const Value& sorts) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (passes(table, row, filters)) rows.push_back(row);
  }
  std::ranges::sort(
      rows, [&](std::uint32_t a, std::uint32_t b) { return compare_rows(table, a, b, sorts) < 0; });
  return rows;
}

}  // namespace

TEST_CASE("a query answers what looking at every row answers", "[query]") {
  Random random(20260131);
  std::size_t found = 0;
  for (int round = 0; round < 600; ++round) {
    MemoryTable table = random_table(random);
    if (round % 2 == 0) table.keep_ranks();
    Value filters = random_filters(random);
    Value sorts = random_sorts(random);
    INFO("filters " << to_display(filters) << " sorts " << to_display(sorts));
    auto rows = rows_of(table, filters, sorts, {0, 1000});
    REQUIRE(rows == expected(table, filters, sorts));
    found += rows.size();
  }
  CHECK(found > 4'000);  // else the questions were too narrow to show anything
}

TEST_CASE("pages laid end to end are the whole", "[query]") {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    MemoryTable table = random_table(random);
    Value filters = round % 3 == 0 ? Value(List{}) : random_filters(random);
    Value sorts = round % 5 == 0 ? Value(List{}) : random_sorts(random);
    auto whole = rows_of(table, filters, sorts, {0, 1000});
    std::uint64_t size = 1 + random() % 7;
    std::vector<std::uint32_t> joined;
    for (std::uint64_t offset = 0; offset < whole.size() + 2 * size; offset += size) {
      auto page = rows_of(table, filters, sorts, {offset, size});
      joined.insert(joined.end(), page.begin(), page.end());
    }
    REQUIRE(joined == whole);
  }
}

TEST_CASE("groups add up to what looking at every row counts", "[query]") {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    MemoryTable table = random_table(random);
    Value filters = round % 2 == 0 ? Value(List{}) : random_filters(random);
    const std::string column = round % 3 == 0 ? "list" : "text";
    std::map<std::string, std::pair<std::int64_t, double>> counted;
    for (std::uint32_t row = 0; row < table.row_count(); ++row) {
      if (!passes(table, row, filters)) continue;
      const Map& fields = table.row(row).fields;
      const Value* number = find_member(fields, "number");
      const Value* key = find_member(fields, column);
      List keys{key == nullptr ? Value() : *key};
      if (keys[0].is_list()) keys = List(keys[0].list());
      if (keys.empty()) keys.emplace_back();
      for (const Value& each : keys) {
        auto& group = counted[to_display(each)];
        ++group.first;
        if (number != nullptr && number->is_number()) group.second += number->number();
      }
    }
    AggregateArguments arguments{filters, column, List{"count", "sum:number"}, {}, {}};
    if (round % 4 == 0) arguments.metrics = "count";
    auto aggregate = parse_aggregate(arguments, table.schema(), test_clock());
    REQUIRE(aggregate);
    auto groups = run_aggregate(table, *aggregate);
    REQUIRE(groups->rows.size() == counted.size());
    for (const Value& group : groups->rows) {
      INFO(to_display(group));
      const auto& wanted = counted.at(to_display(*group.find(column)));
      REQUIRE(group.find("count")->integer() == wanted.first);
      const Value* sum = group.find("sum_number");
      if (sum != nullptr && sum->is_number()) REQUIRE(sum->number() == wanted.second);
    }
  }
}
