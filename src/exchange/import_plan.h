// ImportPlan: what an import would do: which records are new rows, which change one, as operations
// on rows, and what is wrong with which line. Reads, and writes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "database/row_plan.h"
#include "database/value_owners.h"
#include "exchange/import.h"
#include "exchange/import_columns.h"

namespace notesdb {

class ImportPlan {
 public:
  ImportPlan(Workspace& workspace, const Source& source, const ImportRequest& request, Stage stage)
      : workspace_(workspace), source_(source), request_(request), rows_(workspace, stage) {}

  // Fails with what concerns the file as a whole; what is wrong with records is in the issues, and
  // then the plan has no steps.
  Result<Plan> make();
  // Counts and issues.
  const ImportAnswer& answer() const { return answer_; }

 private:
  const Schema& schema() const { return folder_->schema(); }
  void complain(std::uint32_t line, std::string rule, std::string message, std::string field = {});
  Result<void> make_database();
  Result<void> read_existing(const Database& database);
  void read_record(const SourceRecord& record);
  // The row that a record changes; empty for a new one. None where nobody can say.
  std::optional<std::string> match(const SourceRecord& record, const ImportedRow& row);
  void complain_of_rows();
  void count_rows();

  Workspace& workspace_;
  const Source& source_;
  const ImportRequest& request_;
  RowPlan rows_;
  std::shared_ptr<const DatabaseFolder> folder_;
  ImportColumns columns_;
  std::optional<ValueOwners> owners_;                // of the column to match by
  std::set<std::string> row_ids_;                    // those that are there
  std::map<std::string, std::uint32_t> changed_by_;  // by row: the line that changes it
  std::vector<RowOperation> operations_;
  std::vector<std::uint32_t> lines_;  // by operation
  ImportAnswer answer_;
};

}  // namespace notesdb
