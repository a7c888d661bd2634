#include "database/snapshot.h"

#include <utility>

#include "index/database_folder.h"

namespace notesdb {

Snapshot::Snapshot(const Database& database,
                   std::shared_ptr<const DatabaseFolder> folder,
                   TableLease<RowTable> rows)
    : database_(database), folder_(std::move(folder)), rows_(std::move(rows)) {}

const Schema& Snapshot::schema() const {
  return folder_->schema();
}

Result<const Table*> Snapshot::with_rollups() {
  if (!derived_) {
    auto derived = database_.derive(*folder_, schema().column_ids(), 0);
    if (!derived) return derived.error();
    derived_.emplace(*std::move(derived));
    if (!derived_->empty()) table_.emplace(*rows_, *derived_);
  }
  return table_ ? static_cast<const Table*>(&*table_) : &*rows_;
}

}  // namespace notesdb
