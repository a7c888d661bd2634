// What a plan of rows does to the files: the file of each new row, each changed row with its new
// bytes, what is removed, and the notes that follow a row to its new id.
#include <algorithm>
#include <utility>

#include "core/text.h"
#include "database/auto_dates.h"
#include "database/backlinks.h"
#include "database/diff.h"
#include "database/key_order.h"
#include "database/next_row_id.h"
#include "database/references.h"
#include "database/row_plan.h"
#include "files/etag.h"
#include "index/relation_cache.h"
#include "note/row_codec.h"
#include "schema/document.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

Result<void> edit_body(const RowChange& change, Note& note) {
  if (change.body && *change.body != note.body()) {
    const std::string ended = with_last_newline(*change.body, note.bytes());
    if (auto done = note.set_body(ended); !done) return done.error();
  }
  if (change.append_body) {
    auto done = note.append_body(with_last_newline(*change.append_body, ""));
    if (!done) return done.error();
  }
  return {};
}

// The path of a row under another id: the same kind of file.
std::string path_of_new_id(const DatabaseFolder& folder,
                           const RowFile& file,
                           const std::string& new_id) {
  const std::string_view rest =
      std::string_view(file.path).substr(folder.full_path(file.id).size());
  for (const std::string& path : folder.names().candidates(new_id)) {
    std::string full = folder.full_path(path);
    if (full.ends_with(rest)) return full;
  }
  return folder.full_path(folder.names().candidates(new_id).front());
}

std::string counted_references(const std::vector<std::string>& references) {
  return std::to_string(references.size()) +
         (references.size() == 1 ? " reference" : " references");
}

std::string first_of(const std::vector<std::string>& references) {
  constexpr std::size_t max_named = 3;
  std::string named;
  for (std::size_t i = 0; i < std::min(references.size(), max_named); ++i)
    named += (i == 0 ? "" : ", ") + references[i];
  if (references.size() > max_named)
    named += " and " + std::to_string(references.size() - max_named) + " more";
  return named;
}

}  // namespace

Result<void> RowPlan::carry_out(Item& item) {
  switch (item.operation.action) {
    case RowAction::insert: return insert(item);
    case RowAction::update: return update(item);
    case RowAction::remove: break;
  }
  return remove(item);
}

Result<void> RowPlan::put(const Item& item, const std::vector<Step>& steps) {
  item.outcome.changed = true;
  const auto done = pending_.apply(steps);
  if (!done) return done.error();
  return {};
}

Result<void> RowPlan::insert(Item& item) {
  const DatabaseFolder& folder = *item.table.folder;
  RowOutcome& outcome = item.outcome;
  const std::string& wanted = item.operation.row.row_id;
  if (!wanted.empty()) {
    const auto existing = folder.find_row(pending_, wanted);
    if (!existing) return existing.error();
    if (*existing) return id_taken(wanted, wanted);
  }
  // A folder of .yaml rows gets another .yaml row, unless it has a body.
  const auto candidates = folder.names().candidates(outcome.row_id);
  auto chosen = candidates.begin();
  if (candidates.empty()) {
    return Error{ErrorCode::path_not_allowed,
                 "the database would not list a row '" + outcome.row_id + "'",
                 Map{}};
  }
  if (item.body.empty() && !item.table.ending.empty()) {
    const auto alike = std::ranges::find_if(
        candidates, [&](const std::string& path) { return path.ends_with(item.table.ending); });
    if (alike != candidates.end()) chosen = alike;
  }
  outcome.path = folder.full_path(*chosen);
  Map fields = outcome.judged.fields;
  std::erase_if(fields, [](const Member& field) { return field.value.is_null(); });
  if (item.operation.file) outcome.path = item.operation.file->path;
  auto bytes = item.operation.file
                   ? Result<std::string>(item.operation.file->bytes)
                   : new_row(item.schema(), fields, item.body, note_format_of(outcome.path));
  if (!bytes) return bytes.error();
  outcome.etag = etag_of(*bytes);
  return put(item, {Step::create(outcome.path, *std::move(bytes))});
}

// The file need not be one that can be read as a row.
Result<void> RowPlan::write_back(Item& item) {
  const RowOperation::File& file = *item.operation.file;
  const auto before = pending_.read(file.path);
  if (!before) return before.error();
  item.outcome.path = file.path;
  item.outcome.etag = etag_of(file.bytes);
  item.outcome.mtime_ns = before->key.mtime_ns;
  if (before->bytes == file.bytes) return {};
  return put(item, {Step::replace(file.path, before->etag, file.bytes)});
}

// The order of keys that a note which gets a new one follows; looked at only for such a note.
const std::vector<std::string>& RowPlan::key_order_for(Table& table,
                                                       const Note& note,
                                                       const Map& fields) {
  static const std::vector<std::string> no_order;
  if (!adds_key(note, fields) || table.reader == nullptr) return no_order;
  if (!table.key_order) table.key_order = table.reader->key_order();
  return *table.key_order;
}

Result<void> RowPlan::update(Item& item) {
  if (item.operation.file) return write_back(item);
  const RowChange& change = item.operation.change;
  const auto before = read(item);
  if (!before) return before.error();
  RowFile after = *before;
  item.outcome.mtime_ns = before->key.mtime_ns;
  const Map& fields = item.outcome.judged.fields;
  const auto write = [&](const Map& written) {
    const std::vector<std::string>& order = key_order_for(item.table, after.note, written);
    return write_fields(item.schema(), written, order, after.note);
  };
  if (auto done = write(fields); !done) return done.error();
  if (auto done = edit_body(change, after.note); !done) return done.error();
  if (after.note.bytes() != before->note.bytes()) {
    auto done = write(auto_fields(item.schema(), now_, AutoWrite::update));
    if (!done) return done.error();
  }
  if (item.renames()) return rename(item, *before, std::move(after));
  item.outcome.path = after.path;
  item.outcome.etag = etag_of(after.note.bytes());
  if (after.note.bytes() == before->note.bytes()) return {};
  return put(item, {Step::replace(after.path, before->etag, after.note.bytes())});
}

// The row's own file under its new path, what it says of itself, and all that refers to it.
Result<void> RowPlan::rename(Item& item, const RowFile& before, RowFile after) {
  const DatabaseFolder& folder = *item.table.folder;
  const std::string& new_id = item.operation.change.new_row_id;
  const auto existing = folder.find_row(pending_, new_id);
  if (!existing) return existing.error();
  if (*existing && !FoldedId(before.id).is_one_name_with(new_id)) return id_taken(new_id, new_id);
  const RowRenaming renaming{
      folder.id(), before.id, new_id, before.path, path_of_new_id(folder, before, new_id)};
  const auto references = relink_references(
      pending_, link_settings(workspace_.settings()), renaming, folder.schema(), after.note);
  if (!references) return references.error();
  RowOutcome& outcome = item.outcome;
  outcome.path = renaming.new_path;
  outcome.etag = etag_of(after.note.bytes());
  outcome.references = static_cast<std::int64_t>(references->notes.size());
  for (const std::string& path : references->unread)
    warnings_.push_back(path + " cannot be read; it may still name the row '" + before.id + "'");
  if (references->kept > 0) {
    warnings_.push_back(
        std::to_string(references->kept) + (references->kept == 1 ? " link" : " links") +
        " to other notes would have meant '" + new_id + "' and now name their notes by the path");
  }
  Step made = Step::create(outcome.path, after.note.bytes());
  made.like = before.path;
  std::vector<Step> steps{Step::remove(before.path, before.etag), std::move(made)};
  if (item.schema().rows.layout == RowLayout::folder)
    steps.push_back(Step::remove_folder(folder.full_path(before.id)));
  for (const RelinkedNote& note : references->notes)
    steps.push_back(Step::replace(note.path, note.etag, note.after));
  return put(item, steps);
}

Result<void> RowPlan::remove(Item& item) {
  const DatabaseFolder& folder = *item.table.folder;
  const auto file = read(item);
  if (!file) return file.error();
  item.outcome.path = file->path;
  item.outcome.etag = file->etag;
  if (items_.size() == 1) item.outcome.removed = item.table.reader->describe(folder, *file);
  std::vector<Step> steps{Step::remove(file->path, file->etag)};
  if (item.schema().rows.layout == RowLayout::folder)
    steps.push_back(Step::remove_folder(folder.full_path(file->id)));
  return put(item, steps);
}

// What the relations of other rows make of a deletion, each as its column's on_delete says.
Result<void> RowPlan::follow_removals(Table& table) {
  std::vector<std::string> ids;
  for (const Item& item : items_) {
    if (&item.table != &table || item.operation.action != RowAction::remove) continue;
    const auto before = workspace_.files().stat(item.outcome.path);
    if (before && before->kind == FileKind::regular) ids.push_back(item.operation.change.row_id);
  }
  if (ids.empty()) return {};
  auto links = find_backlinks(workspace_, table.folder->id(), ids);
  if (!links) return {};
  std::vector<std::string> refused;
  std::vector<std::string> left;
  for (const Backlink& link : *links) {
    const auto there = pending_.stat(link.path);
    if (!there || there->kind != FileKind::regular) continue;  // it is deleted too
    const Table& owner = link.database_id.empty() ? table : table_of(link.database_id);
    const Column* column = link.database_id.empty() || !owner.folder
                               ? nullptr
                               : owner.folder->schema().find(link.field);
    const OnDelete rule = column == nullptr ? OnDelete::keep : column->on_delete;
    if (rule == OnDelete::clear) {
      if (auto done = clear_reference(*column, link); !done) return done;
      continue;
    }
    const std::string target = ids.size() > 1 ? ": " + link.target : "";
    auto& list = rule == OnDelete::refuse ? refused : left;
    list.push_back(link.path + " (" + link.field + target + ")");
  }
  const std::string what =
      ids.size() == 1 ? "'" + ids.front() + "', which is deleted" : "rows that are deleted";
  if (!refused.empty()) {
    return Error{ErrorCode::invalid_value,
                 counted_references(refused) + " to " + what +
                     ", in a column whose on_delete is refuse: " + first_of(refused),
                 Map{}}
        .with("references", Value::list_of(refused));
  }
  if (!left.empty()) {
    warnings_.push_back(counted_references(left) + " to " + what +
                        ", will point to nothing: " + first_of(left));
  }
  return {};
}

// The field without the row that is deleted.
Result<void> RowPlan::clear_reference(const Column& column, const Backlink& link) {
  auto file = pending_.read(link.path);
  if (!file) return file.error();
  auto note = Note::parse(file->bytes, note_format_of(link.path));
  if (!note) return note.error();
  const Node* node = note->find(column.id);
  if (node == nullptr) return {};
  Value value = read_as(column, *node).value;
  const auto names_target = [&](const Value& item) {
    return std::ranges::count(related_rows(column, item), link.target) > 0;
  };
  if (value.is_list()) {
    std::erase_if(value.list(), names_target);
  } else {
    value = Value();
  }
  const Schema& schema = table_of(link.database_id).folder->schema();
  Map fields = auto_fields(schema, now_, AutoWrite::update);
  fields.push_back({column.id, std::move(value)});
  if (auto done = write_fields(schema, fields, {}, *note); !done) return done.error();
  const auto put = pending_.replace(link.path, file->etag, note->bytes());
  return put ? Result<void>() : put.error();
}

// Keeps next_row_id above the new rows where the schema has that key, and above those that go, so
// that no number is given again. It is one step, the last.
Result<void> RowPlan::keep_numbers(Table& table) {
  const DatabaseFolder& folder = *table.folder;
  std::vector<std::string> gone;
  for (const auto& [id, operation] : table.gone)
    gone.push_back(id);
  auto next = next_row_id_without(workspace_.files(), folder, gone);
  if (!next) return next.error();
  const auto highest = table.ids ? table.ids->highest_new() : std::nullopt;
  const auto& now = folder.schema().next_row_id;
  if (now && highest && *now <= *highest) *next = std::max(*next, std::optional(*highest + 1));
  if (!*next) return {};
  auto bytes = with_counter(folder.document(), **next);
  if (!bytes) return bytes.error();
  const auto done = pending_.replace(folder.schema_path(), folder.schema_etag(), *std::move(bytes));
  if (!done) return done.error();
  return {};
}

Result<Plan> RowPlan::finish() {
  Plan plan(stage_);
  plan.is_whole = is_placed_;
  plan.needs_lock = !is_placed_;
  plan.holds = holds_;
  for (auto& [id, table] : tables_) {
    if (table->ids || !table->owners.empty()) plan.needs_lock = true;
    if (!is_placed_) continue;
    if (auto done = keep_numbers(*table); !done) return done.error();
  }
  for (Item& item : items_) {
    if (item.operation.action != RowAction::remove || !item.table.reader) continue;
    if (std::exchange(item.table.followed, true)) continue;
    if (auto done = follow_removals(item.table); !done) return done.error();
  }
  plan.steps = pending_.steps();
  plan.warnings = warnings_;
  if (stage_ != Stage::preview) return plan;
  for (const PendingFiles::Difference& file : pending_.differences())
    plan.diff += unified_diff(file.path, file.before, file.after);
  return plan;
}

Result<Plan> plan_row(Workspace& workspace, Stage stage, const RowOperation& operation) {
  const std::vector<RowOperation> operations{operation};
  RowPlan rows(workspace, stage);
  rows.run(operations);
  if (const auto refusal = rows.outcomes().front().refusal()) return *refusal;
  return rows.finish();
}

}  // namespace notesdb
