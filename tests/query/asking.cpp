#include "query/asking.h"

namespace notesdb {

namespace {

std::string ids_of(const MemoryTable& table,
                   const Result<Filter>& filter,
                   const Result<Order>& order) {
  if (!filter) return "! " + filter.error().message;
  if (!order) return "! " + order.error().message;
  Result<Matches> matches = run_query(table, {*filter, *order, {0, table.row_count()}});
  if (!matches) return "! " + matches.error().message;
  std::string ids;
  for (std::uint32_t row : matches->rows)
    ids += (ids.empty() ? "" : " ") + std::string(table.row_id(row));
  return ids;
}

}  // namespace

Clock test_clock() {
  return {*parse_moment("2026-01-31T10:30"), std::int64_t{2} * 3600 * 1'000'000};
}

Value triple(std::string_view field, std::string_view operation, Value value) {
  Value map = Map{{"field", field}, {"operator", operation}};
  if (!value.is_null()) map.set("value", std::move(value));
  return map;
}

std::string ids_where(const MemoryTable& table, const Value& filters) {
  return ids_of(table, parse_filter(filters, table.schema(), test_clock()), Order{});
}

std::string ids_sorted(const MemoryTable& table, const Value& sort) {
  return ids_of(table, Filter{}, parse_order(sort, table.schema()));
}

Error refusal(const Schema& schema, const Value& filters) {
  Result<Filter> filter = parse_filter(filters, schema, test_clock());
  return filter ? Error{} : filter.error();
}

std::string groups_of(const MemoryTable& table, const AggregateArguments& arguments) {
  Result<Aggregate> aggregate = parse_aggregate(arguments, table.schema(), test_clock());
  if (!aggregate) return "! " + aggregate.error().message;
  Result<Groups> groups = run_aggregate(table, *aggregate);
  if (!groups) return "! " + groups.error().message;
  std::string shown;
  for (const Value& row : groups->rows)
    shown += (shown.empty() ? "" : " ") + to_display(row);
  return shown;
}

}  // namespace notesdb
