// FormulaTable: the rows of a table with the formula columns that a question asks for.
//
// A column that is compared is worked out for all rows: in the rows' own table, which keeps it, or,
// where its values hold for this question only, here. One that is only shown is worked out for the
// rows that are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "database/vault.h"
#include "index/database_folder.h"
#include "index/formula_columns.h"
#include "index/row_table.h"
#include "query/table.h"

namespace notesdb {

// The column that a name of a request is about: of `data.epic` and `data:month` the column `data`.
// A null pointer where there is none.
const Column* column_named(const Schema& schema, std::string_view name);

// The files that formulas of one question ask for, read when the first does.
class FormulaFiles {
 public:
  explicit FormulaFiles(const FileSystem& files) : files_(files) {}
  // What the formulas give for a row.
  std::vector<FormulaColumns::Computed> compute(const FormulaColumns& formulas,
                                                std::span<const FormulaColumn* const> columns,
                                                const FormulaRow& row,
                                                expression::Environment environment);

 private:
  const FileSystem& files_;
  std::optional<Vault> vault_;
};

class FormulaTable : public Table {
 public:
  // `values` are those of `rows`, or of a table that adds columns to it. All must outlive it.
  FormulaTable(const Table& values,
               const RowTable& rows,
               const DatabaseFolder& folder,
               const FileSystem& files,
               expression::Date now)
      : values_(values), rows_(rows), folder_(folder), files_(files), now_(now) {}

  // For all rows. Other columns are what they are.
  void fill(std::span<const std::size_t> columns);
  void fill(const std::vector<std::string>& ids);
  void fill_for(std::span<const std::size_t> columns, std::span<const std::uint32_t> rows);
  // What to ask for the rows: this, where it has columns of its own.
  const Table& table() const { return computed_.empty() ? values_ : *this; }
  bool has_own_columns() const { return !computed_.empty(); }

  std::uint32_t row_count() const override { return values_.row_count(); }
  std::span<const std::uint32_t> codes(std::size_t column) const override;
  std::uint32_t value_count(std::size_t column) const override;
  Value value(std::size_t column, std::uint32_t code) const override;
  bool fits(std::size_t column, std::uint32_t code) const override;
  std::span<const std::uint32_t> ranks(std::size_t column) const override;
  std::span<const std::uint32_t> counts(std::size_t column) const override;
  std::string_view row_id(std::uint32_t row) const override { return values_.row_id(row); }
  std::string path(std::uint32_t row) const override { return values_.path(row); }
  std::int64_t modified(std::uint32_t row) const override { return values_.modified(row); }
  Result<std::string> body(std::uint32_t row) const override { return values_.body(row); }

 private:
  struct Computed {
    ComputedValues values;
    std::vector<std::uint32_t> codes;
  };
  using Formulas = std::vector<const FormulaColumn*>;
  Formulas formulas_in(std::span<const std::size_t> columns) const;
  // Those that the rows' own table keeps it fills; the others are left.
  Formulas fill_kept(Formulas formulas) const;
  template <typename Rows>
  void compute(Formulas formulas, const Rows& rows);
  const Computed* find(std::size_t column) const;

  const Table& values_;
  const RowTable& rows_;
  const DatabaseFolder& folder_;
  FormulaFiles files_;
  expression::Date now_;
  std::unordered_map<std::size_t, Computed> computed_;
};

}  // namespace notesdb
