#include "bench/made_table.h"

#include <random>

#include "core/date.h"
#include "query/order.h"

namespace notesdb::bench {
namespace {

constexpr std::int64_t first_day = 1672531200;  // 2023-01-01
constexpr std::int64_t day = 86400;
constexpr int days = 1826;

Schema make_schema() {
  Schema schema;
  schema.name = "Tasks";
  Column status;
  status.id = "status";
  status.type = ColumnType::select;
  status.options = {"todo", "doing", "review", "done", "blocked", "dropped"};
  Column estimate;
  estimate.id = "estimate";
  estimate.type = ColumnType::number;
  Column due;
  due.id = "due";
  due.type = ColumnType::date;
  schema.columns = {status, estimate, due};
  return schema;
}

}  // namespace

MadeTable::MadeTable(std::uint32_t rows) : rows_(rows), schema_(make_schema()) {
  for (const std::string& option : schema_.columns[0].options)
    columns_[0].values.emplace_back(option);
  for (const int estimate : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89})
    columns_[1].values.emplace_back(estimate);
  for (int at = 0; at < days; ++at)
    columns_[2].values.emplace_back(format_utc(first_day + at * day).substr(0, 10));
  std::mt19937 chance(1);
  const auto below = [&](std::size_t count) {
    return static_cast<std::uint32_t>(chance() % count);
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    ids_.push_back("task-" + std::to_string(1000000 + row));
    columns_[0].codes.push_back(1 + below(columns_[0].values.size()));
    columns_[1].codes.push_back(1 + below(columns_[1].values.size()));
    columns_[2].codes.push_back(below(7) == 0 ? 0 : 1 + below(columns_[2].values.size()));
  }
  for (std::size_t column = 0; column < columns_.size(); ++column)
    columns_[column].ranks = rank_values(*this, schema_, column);
}

std::span<const std::uint32_t> MadeTable::codes(std::size_t column) const {
  return columns_[column].codes;
}

std::uint32_t MadeTable::value_count(std::size_t column) const {
  return static_cast<std::uint32_t>(columns_[column].values.size());
}

Value MadeTable::value(std::size_t column, std::uint32_t code) const {
  return columns_[column].values.at(code - 1);
}

std::span<const std::uint32_t> MadeTable::ranks(std::size_t column) const {
  return columns_[column].ranks;
}

}  // namespace notesdb::bench
