// ImportPlan: what an import would do: which records are new rows, which change one, and the steps
// that make it so. Reads, and writes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "database/database.h"
#include "database/relation_targets.h"
#include "exchange/import.h"
#include "exchange/import_columns.h"
#include "exchange/new_ids.h"
#include "exchange/value_owners.h"
#include "index/database_folder.h"

namespace notesdb {

class ImportPlan {
 public:
  // `files` shows the database, also one about to be made; `existing` is null for such a one. All
  // of them must outlive the plan.
  ImportPlan(FileSystem& files,
             const Database* existing,
             const Source& source,
             const ImportRequest& request,
             WriteMode mode);

  // Fails with what concerns the file as a whole; what is wrong with records is in the issues.
  Result<void> make();

  // Counts, issues, notes and, of a dry run, the diff.
  const ImportAnswer& answer() const { return answer_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  struct Planned {
    const SourceRecord* record = nullptr;
    ImportedRow row;
    std::string id;  // empty where none could be had
    bool is_new = true;
    bool refused = false;  // nobody can say which row it is about
    Map fields;  // judged
    std::string body;
  };

  const Schema& schema() const { return folder_->schema(); }
  void complain(std::uint32_t line, std::string rule, std::string message, std::string field = {});
  Result<void> read_existing();
  void match_records();
  void match(Planned& planned);
  void refuse(Planned& planned, std::string message);
  void name_new_rows();
  void judge();
  void judge_one(Planned& planned);
  void check_unique();
  void check_unique(const std::string& column, ValueOwners& owners);
  Result<void> plan_steps();
  Result<void> plan_new(const Planned& planned);
  Result<void> plan_update(const Planned& planned);
  Result<void> plan_counter();
  std::string path_of_new(const std::string& id, bool has_body) const;

  FileSystem& files_;
  const Database* existing_;
  const Source& source_;
  const ImportRequest& request_;
  WriteMode mode_;
  Moment now_ = local_now();
  std::shared_ptr<const DatabaseFolder> folder_;
  RowListing listing_;
  ImportColumns columns_;
  std::map<std::string, ValueOwners> owners_;  // by column: unique ones, and the one to match by
  std::set<std::string> row_ids_;              // those that are there, then all
  std::optional<NewIds> new_ids_;
  std::optional<RelationTargets> targets_;
  std::vector<Planned> planned_;
  std::optional<std::vector<std::string>> key_order_;
  std::vector<Step> steps_;
  ImportAnswer answer_;
};

}  // namespace notesdb
