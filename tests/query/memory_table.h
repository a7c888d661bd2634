// MemoryTable: a Table over vectors, for tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.h"
#include "query/table.h"

namespace notesdb {

struct MemoryRow {
  std::string id;
  Map fields;
  std::string body;
  std::int64_t modified = 0;
};

class MemoryTable : public Table {
 public:
  // Rows are put in natural order of their ids. A value fits as a careful reader would say.
  MemoryTable(Schema schema, std::vector<MemoryRow> rows);

  std::uint32_t row_count() const override { return static_cast<std::uint32_t>(rows_.size()); }
  std::span<const std::uint32_t> codes(std::size_t column) const override;
  std::uint32_t value_count(std::size_t column) const override;
  Value value(std::size_t column, std::uint32_t code) const override;
  bool fits(std::size_t column, std::uint32_t code) const override;
  std::span<const std::uint32_t> ranks(std::size_t column) const override;
  std::string_view row_id(std::uint32_t row) const override { return rows_[row].id; }
  std::string path(std::uint32_t row) const override { return "db/" + rows_[row].id + ".md"; }
  std::int64_t modified(std::uint32_t row) const override { return rows_[row].modified; }
  Result<std::string> body(std::uint32_t row) const override;

  // From now on, ranks are kept as an index would keep them.
  void keep_ranks();
  // From now on, reading a body fails.
  void lose_bodies() { bodies_lost_ = true; }

  const Schema& schema() const { return schema_; }
  const MemoryRow& row(std::uint32_t row) const { return rows_[row]; }
  // How many bodies were read so far.
  int bodies_read() const { return bodies_read_; }

 private:
  struct Dictionary {
    std::vector<std::uint32_t> codes;
    std::vector<Value> values;
    std::vector<std::uint32_t> ranks;
  };

  Schema schema_;
  std::vector<MemoryRow> rows_;
  std::vector<Dictionary> columns_;
  bool bodies_lost_ = false;
  mutable int bodies_read_ = 0;
};

// Whether a value is one of the column's type.
bool fits_column(const Value& value, const Column& column);

// A column in one line.
Column make_column(std::string id, ColumnType type, std::vector<std::string> options = {});

}  // namespace notesdb
