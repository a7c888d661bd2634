// RowPlan: what a list of operations on rows would do: which files it makes, changes and removes,
// and everything that stands against it. Reads, and writes nothing.
//
//   RowPlan rows(workspace, stage);
//   rows.run(operations);
//   if (!rows.has_failed()) auto plan = rows.finish();
//
// All writers of rows share it: an insert is one operation, a batch or an import thousands. One
// snapshot of each database serves them all: the ids and the unique values that are taken. Later
// operations see what earlier ones did; a relation may name a row that a later one inserts; unique
// values are judged as they are when all is done, so that two rows may swap theirs.
//
// Etags are those of the rows before the first operation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "database/backlinks.h"
#include "database/commit.h"
#include "database/relation_targets.h"
#include "database/row_access.h"
#include "database/row_draft.h"
#include "database/row_id.h"
#include "database/value_owners.h"
#include "database/workspace.h"
#include "files/pending_files.h"

namespace notesdb {

struct RowChange {
  std::string row_id{};
  std::optional<Etag> etag{};  // none: the row as it is now
  Map fields{};                // null clears
  std::optional<std::string> body{};
  std::optional<std::string> append_body{};
  // Empty: it keeps its id. Else every reference to the row, in any note of the workspace, follows
  // it in the same change.
  std::string new_row_id{};
};

enum class RowAction { insert, update, remove };

// One row's change, and where it came from.
struct RowOperation {
  // A row's file as it was once, which it becomes again byte for byte.
  struct File {
    std::string path;
    std::string bytes;
  };
  RowAction action = RowAction::insert;
  std::string database_id{};
  NewRow row{};                // of an insert
  RowChange change{};          // of an update; of a removal its row_id and etag
  std::optional<File> file{};  // written in place of what row or change say, once those are judged
  std::string place{};         // what others of the plan call it: "line 4"; empty: by its row id
};

// What became of one operation.
struct RowOutcome {
  std::string row_id;            // as it is then
  std::string path;              // from the workspace root
  Etag etag;                     // as it is then; of a removal as it was
  std::int64_t mtime_ns = 0;     // of the file before; 0 of a new one
  bool changed = false;          // false: the file holds what was asked for already
  std::int64_t references = 0;   // other notes that name the row by its new id then
  JudgedFields judged;           // with all that is wrong with its values
  std::optional<Error> failure;  // what is wrong beside them
  // Of an operation alone:
  std::optional<Row> removed;      // of a removal: what the row held
  std::optional<RowFile> updated;  // of an update that keeps its name: the row as it is then

  // Everything at once; only where something is wrong.
  std::optional<Error> refusal() const;
};

class RowPlan {
 public:
  RowPlan(Workspace& workspace, Stage stage);

  // A database that is made in the same change, its schema file before all rows.
  Result<void> create_database(const std::string& id, const std::string& path, std::string bytes);
  // Once. The operations must outlive the plan.
  void run(const std::vector<RowOperation>& operations);
  const std::vector<RowOutcome>& outcomes() const { return outcomes_; }
  bool has_failed() const;
  // How many operations change something.
  std::int64_t changed_count() const;
  // The whole change; of a plan that did not fail.
  Result<Plan> finish();

  // The files as they would be.
  const FileSystem& files() const { return pending_; }
  std::shared_ptr<const DatabaseFolder> folder(const std::string& database_id) const;
  // Null of a database that is made in the same change.
  const Database* reader(const std::string& database_id) const;

 private:
  // One database, as all operations of the plan find it.
  struct Table {
    const Database* reader = nullptr;  // null of one that is made in the same change
    std::shared_ptr<const DatabaseFolder> folder{};
    std::optional<Error> failure{};
    std::optional<NewIds> ids{};
    std::string ending{};                         // of the files of all rows; empty: they differ
    std::map<std::string, ValueOwners> owners{};  // by unique column
    std::map<std::string, List> wanted{};         // the values that operations bring for those
    std::optional<std::vector<std::string>> key_order{};
    std::map<std::string, std::size_t> gone{};    // by row: the operation that took it away
    std::set<std::string> given{};                // ids that operations give
    std::map<std::string, std::string> origin{};  // of a renamed row: the id that it had
    bool gives_ids = false;
    bool followed = false;  // what refers to rows that are removed
  };
  // One operation running.
  struct Item {
    std::size_t number = 0;
    const RowOperation& operation;
    Table& table;
    RowOutcome& outcome;
    std::string body{};
    std::optional<RowFile> before{};  // of an operation alone, where it was looked at

    const Schema& schema() const { return table.folder->schema(); }
    bool renames() const;
  };

  Table& table_of(const std::string& database_id);
  bool needs_snapshot() const;
  template <typename Work>
  void each(const Work& work);
  // The passes, in this order.
  Result<void> find(Item& item);
  Result<void> draft(Item& item);
  Result<void> name_rows();
  Result<void> name(Item& item);
  void judge_relations(Item& item);
  void judge_unique(Table& table, const std::string& column, ValueOwners& owners);
  Result<void> look_for(Item& item);
  Result<void> carry_out(Item& item);

  Result<void> insert(Item& item);
  Result<void> update(Item& item);
  Result<void> write_back(Item& item);
  Result<void> rename(Item& item, const RowFile& before, RowFile after);
  Result<void> remove(Item& item);
  Result<void> put(const Item& item, const std::vector<Step>& steps);
  Result<RowFile> read(Item& item);
  const std::vector<std::string>& key_order_for(Table& table, const Note& note, const Map& fields);
  Result<void> follow_removals(Table& table);
  Result<void> clear_reference(const Column& column, const Backlink& link);
  Result<void> keep_numbers(Table& table);
  std::function<bool()> ground();

  Workspace& workspace_;
  Stage stage_;
  PendingFiles pending_;
  Timestamp now_ = local_now();
  RelationTargets targets_;
  std::map<std::string, std::unique_ptr<Table>> tables_;
  std::vector<Item> items_;
  std::vector<RowOutcome> outcomes_;
  std::vector<std::string> warnings_;
  bool is_placed_ = false;  // steps are made, not only refusals
  int unknown_rows_ = 0;    // so many that were looked for in vain
  std::function<bool()> holds_;
};

// The plan of one operation; fails as that is refused.
Result<Plan> plan_row(Workspace& workspace, Stage stage, const RowOperation& operation);

}  // namespace notesdb
