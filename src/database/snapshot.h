// Snapshot: the rows of a database as they are at one moment, for whoever reads them at leisure.
//
//   auto stories = database.snapshot();
//   auto values = (*stories)->with_computed(columns);
//
// They stay so as long as it stands, and nobody waits for it. What rollups and formulas compute is
// asked for by itself, since it may take questions to other databases. Belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/result.h"
#include "core/schema.h"
#include "database/database.h"
#include "database/derived_columns.h"
#include "database/formula_table.h"
#include "index/row_table.h"

namespace notesdb {

class Snapshot {
 public:
  Snapshot(const Database& database,
           std::shared_ptr<const DatabaseFolder> folder,
           TableLease<RowTable> rows);

  // As it is declared.
  const Schema& schema() const;
  const FormulaColumns& formulas() const;
  const DatabaseFolder& folder() const { return *folder_; }
  const RowTable& rows() const { return *rows_; }
  // The rows with what these columns compute, and all rollups, in the columns of the schema; a
  // column that is not computed is as it is in rows().
  Result<const Table*> with_computed(std::span<const std::size_t> columns);

 private:
  const Database& database_;
  std::shared_ptr<const DatabaseFolder> folder_;
  TableLease<RowTable> rows_;
  std::optional<DerivedColumns> derived_;
  std::optional<DerivedTable> table_;
  std::optional<FormulaTable> of_rows_;   // formulas over the fields of rows
  std::optional<FormulaTable> of_table_;  // and those over rollups
};

}  // namespace notesdb
