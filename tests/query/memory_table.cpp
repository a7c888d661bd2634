#include "query/memory_table.h"

#include <algorithm>

#include "core/date.h"
#include "core/text.h"
#include "query/order.h"

namespace notesdb {

MemoryTable::MemoryTable(Schema schema, std::vector<MemoryRow> rows)
    : schema_(std::move(schema)), rows_(std::move(rows)) {
  std::ranges::sort(rows_, [](const MemoryRow& a, const MemoryRow& b) {
    return compare_natural(a.id, b.id) < 0;
  });
  for (const Column& column : schema_.columns) {
    Dictionary dictionary;
    for (const MemoryRow& row : rows_) {
      const Value* value = find_member(row.fields, column.id);
      if (value == nullptr) {
        dictionary.codes.push_back(0);
        continue;
      }
      auto known = std::ranges::find(dictionary.values, *value);
      if (known == dictionary.values.end()) {
        known = dictionary.values.insert(known, *value);
      }
      dictionary.codes.push_back(static_cast<std::uint32_t>(known - dictionary.values.begin() + 1));
    }
    columns_.push_back(std::move(dictionary));
  }
}

std::span<const std::uint32_t> MemoryTable::codes(std::size_t column) const {
  return columns_[column].codes;
}

std::uint32_t MemoryTable::value_count(std::size_t column) const {
  return static_cast<std::uint32_t>(columns_[column].values.size());
}

Value MemoryTable::value(std::size_t column, std::uint32_t code) const {
  return columns_[column].values.at(code - 1);
}

bool MemoryTable::fits(std::size_t column, std::uint32_t code) const {
  return fits_column(value(column, code), schema_.columns[column]);
}

std::span<const std::uint32_t> MemoryTable::ranks(std::size_t column) const {
  return columns_[column].ranks;
}

Result<std::string> MemoryTable::body(std::uint32_t row) const {
  ++bodies_read_;
  if (bodies_lost_) return Error{ErrorCode::io_error, "the disk is gone", Map{}};
  return rows_[row].body;
}

void MemoryTable::keep_ranks() {
  for (std::size_t column = 0; column < columns_.size(); ++column)
    columns_[column].ranks = rank_values(*this, schema_, column);
}

bool fits_column(const Value& value, const Column& column) {
  if (value.is_null()) return true;
  if (column.holds_list()) {
    return value.is_list() && std::ranges::all_of(value.list(), [](const Value& item) {
             return item.is_text() || item.is_null();
           });
  }
  switch (column.type) {
    case ColumnType::number: return value.is_number();
    case ColumnType::checkbox: return value.is_boolean();
    case ColumnType::date:
    case ColumnType::datetime: return value.is_text() && parse_moment(value.text()).has_value();
    case ColumnType::json: return true;
    default: return value.is_text();
  }
}

Column make_column(std::string id, ColumnType type, std::vector<std::string> options) {
  Column column;
  column.name = id;
  column.id = std::move(id);
  column.type = type;
  column.type_name = name_of(type);
  column.options = std::move(options);
  return column;
}

}  // namespace notesdb
