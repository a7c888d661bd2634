// The steps of an import: the file of each new row, and each changed row with its new bytes.
#include <algorithm>
#include <utility>

#include "database/diff.h"
#include "database/key_order.h"
#include "database/row_access.h"
#include "exchange/import_plan.h"
#include "files/names.h"
#include "note/row_codec.h"
#include "note/schema_document.h"

namespace notesdb {

Result<void> ImportPlan::plan_steps() {
  for (const Planned& planned : planned_) {
    auto done = planned.is_new ? plan_new(planned) : plan_update(planned);
    if (done) continue;
    complain(planned.record->line, "row", done.error().message);
  }
  return plan_counter();
}

// A folder of .yaml rows gets another .yaml row, unless it has a body.
std::string ImportPlan::path_of_new(const std::string& id, bool has_body) const {
  const auto candidates = folder_->names().candidates(id);
  if (candidates.empty()) return "";
  if (!has_body && !listing_.paths.empty()) {
    const std::string_view ending = ending_of(listing_.paths.front());
    const bool all_alike = std::ranges::all_of(
        listing_.paths, [&](const std::string& path) { return path.ends_with(ending); });
    for (const std::string& path : candidates)
      if (all_alike && path.ends_with(ending)) return folder_->full_path(path);
  }
  return folder_->full_path(candidates.front());
}

Result<void> ImportPlan::plan_new(const Planned& planned) {
  const std::string path = path_of_new(planned.id, !planned.body.empty());
  if (path.empty()) {
    return Error{ErrorCode::path_not_allowed,
                 "the database would not list a row '" + planned.id + "'",
                 Map{}};
  }
  Map fields = planned.fields;
  std::erase_if(fields, [](const Member& field) { return field.value.is_null(); });
  auto bytes = new_row(schema(), fields, planned.body, note_format_of(path));
  if (!bytes) return bytes.error();
  if (mode_ == WriteMode::dry_run) answer_.diff += unified_diff(path, std::nullopt, *bytes);
  steps_.push_back(Step::create(path, *std::move(bytes)));
  ++answer_.inserted;
  return {};
}

Result<void> ImportPlan::plan_update(const Planned& planned) {
  auto file = read_row_file(files_, *folder_, planned.id);
  if (!file) return file.error();
  Note note = file->note;
  std::vector<std::string> order;
  if (adds_key(note, planned.fields)) {
    if (!key_order_) key_order_ = existing_->key_order();
    order = *key_order_;
  }
  if (auto done = write_fields(schema(), planned.fields, order, note); !done) return done.error();
  if (planned.row.body)
    if (auto done = note.set_body(*planned.row.body); !done) return done.error();
  if (note.bytes() == file->note.bytes()) {
    ++answer_.unchanged;
    return {};
  }
  if (mode_ == WriteMode::dry_run)
    answer_.diff += unified_diff(file->path, file->note.bytes(), note.bytes());
  steps_.push_back(Step::replace(file->path, file->etag, note.bytes()));
  ++answer_.updated;
  return {};
}

// Keeps next_row_id above the new rows where the schema has that key.
Result<void> ImportPlan::plan_counter() {
  const auto highest = new_ids_->highest_counter();
  const auto& next = schema().next_row_id;
  if (!next || !highest || *next > *highest) return {};
  auto bytes = with_next_row_id(folder_->document(), *highest + 1);
  if (!bytes) return bytes.error();
  if (mode_ == WriteMode::dry_run)
    answer_.diff += unified_diff(folder_->schema_path(), folder_->document().note.bytes(), *bytes);
  steps_.push_back(
      Step::replace(folder_->schema_path(), folder_->schema_etag(), *std::move(bytes)));
  return {};
}

}  // namespace notesdb
