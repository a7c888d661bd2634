// Fuzzing a query: whatever JSON asks for, the answer is rows or a refusal in words, and a question
// asked again has the same answer. The input is {"filters", "sort", "limit", "offset"}.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/claim.h"
#include "json/json_value.h"
#include "query/asking.h"
#include "query/query.h"

using namespace notesdb;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

Column column(std::string id, ColumnType type) {
  Column made;
  made.id = std::move(id);
  made.type = type;
  return made;
}

const MemoryTable& table() {
  static const MemoryTable made = [] {
    Schema schema;
    schema.columns = {column("title", ColumnType::text),
                      column("count", ColumnType::number),
                      column("due", ColumnType::date),
                      column("tags", ColumnType::list),
                      column("done", ColumnType::checkbox)};
    std::vector<MemoryRow> rows;
    for (int i = 0; i < 20; ++i) {
      rows.push_back({"row-" + std::to_string(i),
                      {{"title", "Title " + std::to_string(i % 7)},
                       {"count", i % 5},
                       {"due", "2026-01-" + std::to_string(10 + i)},
                       {"tags", List{"a", std::to_string(i % 3)}},
                       {"done", i % 2 == 0}},
                      "Some words.\n",
                      i});
    }
    return MemoryTable(schema, rows);
  }();
  return made;
}

Value member(const Value& arguments, std::string_view key) {
  for (const Member& each : arguments.map())
    if (each.key == key) return each.value;
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto arguments = parse_json(std::string(data, data + size));
  if (!arguments || !arguments->is_map()) return 0;
  auto filter = parse_filter(member(*arguments, "filters"), table().schema(), test_clock());
  auto order = parse_order(member(*arguments, "sort"), table().schema());
  if (!filter) require(!filter.error().message.empty());
  if (!order) require(!order.error().message.empty());
  if (!filter || !order) return 0;
  const Query query{*filter, *order, {}};
  const auto once = run_query(table(), query);
  const auto again = run_query(table(), query);
  require(once.ok() && again.ok() && once->rows == again->rows);
  require(once->total >= once->rows.size() && once->total <= table().row_count());
  return 0;
}
