// MadeTable: rows of a table that no file holds, for scans over as many rows as one likes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/schema.h"
#include "query/table.h"

namespace notesdb::bench {

// status (six options), estimate (ten numbers), due (1,826 days, one row in seven without).
class MadeTable : public Table {
 public:
  explicit MadeTable(std::uint32_t rows);

  const Schema& schema() const { return schema_; }

  std::uint32_t row_count() const override { return rows_; }
  std::span<const std::uint32_t> codes(std::size_t column) const override;
  std::uint32_t value_count(std::size_t column) const override;
  Value value(std::size_t column, std::uint32_t code) const override;
  bool fits(std::size_t, std::uint32_t) const override { return true; }
  std::span<const std::uint32_t> ranks(std::size_t column) const override;
  std::string_view row_id(std::uint32_t row) const override { return ids_[row]; }
  std::string path(std::uint32_t row) const override { return "tasks/" + ids_[row] + ".md"; }
  std::int64_t modified(std::uint32_t) const override { return 0; }
  Result<std::string> body(std::uint32_t) const override { return std::string(); }

 private:
  struct Dictionary {
    std::vector<std::uint32_t> codes;
    std::vector<Value> values;
    std::vector<std::uint32_t> ranks;
  };

  std::uint32_t rows_;
  Schema schema_;
  std::array<Dictionary, 3> columns_;
  std::vector<std::string> ids_;
};

}  // namespace notesdb::bench
