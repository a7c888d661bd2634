#include "database/snapshot.h"

#include <algorithm>
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

const FormulaColumns& Snapshot::formulas() const {
  return folder_->formulas();
}

Result<const Table*> Snapshot::with_computed(std::span<const std::size_t> columns) {
  const auto is_of_rows = [&](std::size_t column) {
    const FormulaColumn* formula = folder_->formulas().find(column);
    return formula != nullptr && !formula->uses_rollups;
  };
  const auto make = [&](std::optional<FormulaTable>& formulas, const Table& values) {
    if (!formulas) formulas.emplace(values, *rows_, *folder_, database_.files_, question_time());
    formulas->fill(columns);
    return &formulas->table();
  };
  if (std::ranges::all_of(columns, is_of_rows)) return make(of_rows_, *rows_);
  if (!derived_) {
    auto derived = database_.derive(*folder_, schema().column_ids(), 0);
    if (!derived) return derived.error();
    derived_.emplace(*std::move(derived));
    table_.emplace(*rows_, *derived_);
  }
  return make(of_table_, *table_);
}

}  // namespace notesdb
