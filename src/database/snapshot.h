// Snapshot: the rows of a database as they are at one moment, for whoever reads them at leisure.
//
//   auto stories = database.snapshot();
//   auto values = (*stories)->with_rollups();
//
// They stay so as long as it stands, and nobody waits for it. What rollups compute is asked for by
// itself, since it takes questions to other databases. Belongs to one thread.
#pragma once

#include <memory>
#include <optional>

#include "core/result.h"
#include "core/schema.h"
#include "database/database.h"
#include "database/derived_columns.h"
#include "index/row_table.h"
#include "index/row_table.h"

namespace notesdb {

class Snapshot {
 public:
  Snapshot(const Database& database,
           std::shared_ptr<const DatabaseFolder> folder,
           TableLease<RowTable> rows);

  // As it is declared.
  const Schema& schema() const;
  const RowTable& rows() const { return *rows_; }
  // The rows with what their rollups compute, in the columns of the schema.
  Result<const Table*> with_rollups();

 private:
  const Database& database_;
  std::shared_ptr<const DatabaseFolder> folder_;
  TableLease<RowTable> rows_;
  std::optional<DerivedColumns> derived_;
  std::optional<DerivedTable> table_;
};

}  // namespace notesdb
