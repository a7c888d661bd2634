#include "database/row_plan.h"

#include <algorithm>
#include <utility>

#include "core/budget.h"
#include "core/file_name.h"
#include "core/progress.h"
#include "core/text.h"
#include "database/backlinks.h"
#include "database/diff.h"
#include "database/key_order.h"
#include "database/references.h"
#include "database/row_draft.h"
#include "database/row_id.h"
#include "files/etag.h"
#include "files/names.h"
#include "index/relation_cache.h"
#include "index/row_table.h"
#include "note/row_codec.h"
#include "schema/document.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

constexpr int max_suggested = 3;       // missing rows for which the nearest ids are looked for
constexpr std::size_t few_values = 8;  // that are looked for one by one

// Which rows have any of the values; of many values, in a table that is read once, simply which rows
// have which.
void add_owners(const RowTable& table,
                std::size_t column,
                const List& wanted,
                ValueOwners& owners) {
  const auto codes = table.codes(column);
  const auto add = [&](std::uint32_t row) {
    if (codes[row] != 0)
      owners.add(table.value(column, codes[row]), {std::string(table.row_id(row))});
  };
  if (const auto rows = table.rows_like(column, wanted)) {
    std::ranges::for_each(*rows, add);
    return;
  }
  std::vector<bool> same(table.value_count(column) + std::size_t{1}, wanted.size() > few_values);
  if (wanted.size() <= few_values) {
    for (const Value& value : wanted) {
      const std::vector<bool> alike = table.codes_like(column, value);
      for (std::size_t code = 0; code < same.size(); ++code)
        same[code] = same[code] || alike[code];
    }
  }
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    if (same[codes[row]]) add(row);
}

Value conflict_row(const Row& row) {
  Value value = Map{{"id", row.id}, {"etag", to_text(row.etag)}, {"fields", row.fields}};
  value.set("body", row.body);
  value.set("modified", row.modified);
  if (!row.extra.empty()) value.set("extra", row.extra);
  return value;
}

Error stale(const DatabaseFolder& folder, const RowFile& file) {
  return Error{ErrorCode::conflict,
               "CONFLICT: the row '" + file.id +
                   "' has changed since it was read; its etag is now " + to_text(file.etag) +
                   ", with which the change can be made again",
               Map{}}
      .with("etag", to_text(file.etag))
      .with("row", conflict_row(to_row(folder, file)));
}

}  // namespace

std::optional<Error> RowOutcome::refusal() const {
  auto wrong = judged.refusal();
  if (!failure || !wrong) return failure ? failure : wrong;
  return join({*wrong, *failure});
}

bool RowPlan::Item::renames() const {
  const RowChange& change = operation.change;
  return operation.action == RowAction::update && !change.new_row_id.empty() &&
         change.new_row_id != change.row_id;
}

RowPlan::RowPlan(Workspace& workspace, Stage stage)
    : workspace_(workspace), stage_(stage), pending_(workspace.files()), targets_(pending_) {}

Result<void> RowPlan::create_database(const std::string& id,
                                      const std::string& path,
                                      std::string bytes) {
  if (auto made = pending_.create(path, std::move(bytes)); !made) return made.error();
  auto folder = DatabaseFolder::read(pending_, id);
  if (!folder) return folder.error();
  auto table = std::make_unique<Table>();
  table->folder = *std::move(folder);
  tables_.emplace(id, std::move(table));
  return {};
}

RowPlan::Table& RowPlan::table_of(const std::string& database_id) {
  std::unique_ptr<Table>& table = tables_[database_id];
  if (table) return *table;
  table = std::make_unique<Table>();
  if (auto found = workspace_.open_database(database_id)) {
    table->reader = found->database;
    table->folder = std::move(found->folder);
  } else {
    table->failure = found.error();
  }
  return *table;
}

std::shared_ptr<const DatabaseFolder> RowPlan::folder(const std::string& database_id) const {
  return tables_.at(database_id)->folder;
}

const Database* RowPlan::reader(const std::string& database_id) const {
  return tables_.at(database_id)->reader;
}

template <typename Work>
void RowPlan::each(const Work& work) {
  Progress::begin(items_.size(), "planning rows");
  for (Item& item : items_) {
    Budget::look();
    Progress::step();
    if (item.outcome.failure) continue;
    if (Result<void> done = work(item); !done) item.outcome.failure = done.error();
  }
}

void RowPlan::run(const std::vector<RowOperation>& operations) {
  outcomes_.resize(operations.size());
  items_.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Table& table = table_of(operations[i].database_id);
    items_.push_back({i, operations[i], table, outcomes_[i], {}});
    outcomes_[i].failure = table.failure;
  }
  each([&](Item& item) { return find(item); });
  if (has_failed()) return;
  each([&](Item& item) { return draft(item); });
  is_placed_ = needs_snapshot();
  if (is_placed_) {
    if (auto done = name_rows(); !done) {
      outcomes_.front().failure = done.error();
      return;
    }
  }
  each([&](Item& item) -> Result<void> {
    judge_relations(item);
    return {};
  });
  for (auto& [id, table] : tables_)
    for (auto& [column, owners] : table->owners)
      judge_unique(*table, column, owners);
  if (has_failed())
    each([&](Item& item) { return look_for(item); });
  else if (is_placed_)
    each([&](Item& item) { return carry_out(item); });
}

// Of a plan that has failed: whether the row is missing too.
Result<void> RowPlan::look_for(Item& item) {
  const std::string& row_id = item.operation.change.row_id;
  if (item.operation.action == RowAction::insert || item.operation.file ||
      item.table.given.contains(row_id)) {
    return {};
  }
  const auto file = read(item);
  return file ? Result<void>() : file.error();
}

// A refusal that needs no look at the other rows leaves that look to the one under the lock.
bool RowPlan::needs_snapshot() const {
  if (stage_ != Stage::before_lock || items_.size() != 1) return true;
  const Item& item = items_.front();
  return item.operation.action != RowAction::insert || !item.operation.row.row_id.empty() ||
         !item.table.wanted.empty();
}

bool RowPlan::has_failed() const {
  return std::ranges::any_of(outcomes_, [](const RowOutcome& outcome) {
    return outcome.failure || !outcome.judged.errors.empty() || !outcome.judged.violations.empty();
  });
}

std::int64_t RowPlan::changed_count() const {
  return std::ranges::count_if(outcomes_, &RowOutcome::changed);
}

Result<RowFile> RowPlan::read(Item& item) {
  const auto nearest = unknown_rows_ < max_suggested ? NearestIds::included : NearestIds::left_out;
  auto file = read_row_file(pending_, *item.table.folder, item.operation.change.row_id, nearest);
  if (!file && file.error().code == ErrorCode::unknown_row) ++unknown_rows_;
  return file;
}

Result<void> RowPlan::find(Item& item) {
  const auto& change = item.operation.change;
  if (item.operation.action == RowAction::insert || !change.etag) return {};
  auto file = read(item);
  if (!file) return file.error();
  if (*change.etag != file->etag) return stale(*item.table.folder, *file);
  if (items_.size() == 1) item.before = *std::move(file);
  return {};
}

Result<void> RowPlan::draft(Item& item) {
  const RowOperation& operation = item.operation;
  RowOutcome& outcome = item.outcome;
  if (operation.action == RowAction::insert) {
    auto draft = draft_row(item.schema(), operation.row, now_);
    if (!draft) return draft.error();
    outcome.judged = std::move(draft->judged);
    item.body = std::move(draft->body);
    outcome.row_id = row_id_meant(item.schema(), operation.row.row_id);
    std::ranges::move(draft->warnings, std::back_inserter(warnings_));
  } else {
    outcome.row_id = operation.change.row_id;
    if (operation.action == RowAction::remove) return {};
    outcome.judged = judge_fields(item.schema(), operation.change.fields);
  }
  if (!outcome.row_id.empty() && operation.action == RowAction::insert)
    item.table.given.insert(outcome.row_id);
  if (item.renames() || operation.action == RowAction::insert) item.table.gives_ids = true;
  for (const Member& field : outcome.judged.fields) {
    const Column* column = item.schema().find(field.key);
    if (column->unique && !is_empty(field.value))
      item.table.wanted[field.key].push_back(field.value);
  }
  return {};
}

// Table by table, while its rows are looked at: the ids that operations take and give up, and who has
// the values that they bring.
Result<void> RowPlan::name_rows() {
  if (stage_ == Stage::before_lock && items_.size() > 1) holds_ = ground();
  for (auto& [id, table] : tables_) {
    if (table->failure) continue;
    const Schema& schema = table->folder->schema();
    for (const auto& [column, values] : table->wanted)
      table->owners.emplace(column, ValueOwners(schema, column));
    if (table->gives_ids) table->ids.emplace(schema, table->folder->names().folder_of_new());
    const auto name_all = [&, &table = *table] {
      each([&](Item& item) { return &item.table == &table ? name(item) : Result<void>(); });
    };
    const bool needs_rows = table->gives_ids || !table->owners.empty();
    if (!needs_rows || table->reader == nullptr) {
      name_all();
      continue;
    }
    const auto look = [&, &table = *table](const DatabaseFolder&, const RowTable& rows) {
      if (table.gives_ids) table.ending = rows.common_ending();
      if (table.ids) table.ids->look_at(&rows);
      for (auto& [column, owners] : table.owners)
        add_owners(rows, *schema.index_of(column), table.wanted[column], owners);
      name_all();
      if (table.ids) table.ids->look_at(nullptr);
    };
    if (auto done = table->reader->with_rows(look); !done) return done.error();
  }
  return {};
}

// Which rows and schemas the plan rests on, as they are now: the databases of the operations and
// those that their relations name.
std::function<bool()> RowPlan::ground() {
  using State = std::vector<std::pair<Etag, std::uint64_t>>;
  std::set<std::string> ids;
  for (const auto& [id, table] : tables_) {
    if (table->reader == nullptr) continue;
    ids.insert(id);
    for (const Column& column : table->folder->schema().columns)
      if (column.type == ColumnType::relation) ids.insert(column.target);
  }
  const auto look = [&workspace = workspace_, ids] {
    State state;
    for (const std::string& id : ids) {
      const auto database = workspace.get(id);
      if (!database) continue;
      const auto folder = (*database)->folder();
      const auto version = (*database)->version();
      if (folder && version) state.emplace_back((*folder)->schema_etag(), *version);
    }
    return state;
  };
  for (const auto& [id, table] : tables_) {
    if (table->reader == nullptr) continue;
    const auto folder = table->reader->folder();
    if (!folder || (*folder)->schema_etag() != table->folder->schema_etag()) return {};
  }
  return [look, before = look()] { return look() == before; };
}

Result<void> RowPlan::name(Item& item) {
  Table& table = item.table;
  const std::string row_id = item.operation.change.row_id;
  if (item.operation.action == RowAction::insert) {
    const std::string wanted = item.outcome.row_id;
    auto id = table.ids->take(wanted, id_source(item.schema(), item.outcome.judged.fields));
    if (!id) return id.error();
    item.outcome.row_id = *std::move(id);
  } else if (item.renames()) {
    table.ids->release(row_id);
    auto id = table.ids->take(item.operation.change.new_row_id, {});
    if (!id) return id.error();
    table.gone[row_id] = item.number;
    const auto origin = table.origin.find(row_id);
    table.origin[*id] = origin == table.origin.end() ? row_id : origin->second;
    item.outcome.row_id = *std::move(id);
  } else {
    if (item.operation.action == RowAction::update) return {};
    if (table.ids) table.ids->release(row_id);
    table.gone[row_id] = item.number;
    return {};
  }
  table.given.insert(item.outcome.row_id);
  table.gone.erase(item.outcome.row_id);
  return {};
}

void RowPlan::judge_relations(Item& item) {
  const RowExists exists = [&](const std::string& database, const std::string& row) {
    const auto table = tables_.find(database);
    if (table != tables_.end()) {
      const auto gone = table->second->gone.find(row);
      if (gone != table->second->gone.end() && gone->second <= item.number) return false;
      if (table->second->given.contains(row)) return true;
    }
    return targets_.has(database, row);
  };
  JudgedFields& judged = item.outcome.judged;
  for (const Member& field : judged.fields) {
    const Column* column = item.schema().find(field.key);
    if (column->type != ColumnType::relation) continue;
    std::ranges::move(check_relation(*column, field.value, exists),
                      std::back_inserter(judged.violations));
  }
}

// As the values are when all operations are done.
void RowPlan::judge_unique(Table& table, const std::string& column, ValueOwners& owners) {
  const auto origin_of = [&](const Item& item) {
    const bool is_new = item.operation.action == RowAction::insert;
    const std::string& id = is_new ? item.outcome.row_id : item.operation.change.row_id;
    const auto origin = table.origin.find(id);
    return origin == table.origin.end() ? id : origin->second;
  };
  std::map<std::string, std::size_t> last;  // by row: the operation that decides
  for (const Item& item : items_) {
    if (&item.table != &table || item.outcome.failure) continue;
    const bool is_gone = item.operation.action == RowAction::remove;
    if (!is_gone && find_member(item.outcome.judged.fields, column) == nullptr) continue;
    const std::string row = origin_of(item);
    owners.release(row);
    last[row] = item.number;
  }
  for (const Item& item : items_) {
    if (&item.table != &table || item.outcome.failure) continue;
    const Value* value = find_member(item.outcome.judged.fields, column);
    if (value == nullptr || last[origin_of(item)] != item.number) continue;
    const ValueOwners::Owner* owner = owners.find(*value);
    if (owner == nullptr) {
      owners.add(*value, {item.outcome.row_id, item.operation.place});
      continue;
    }
    const std::string whose =
        owner->place.empty() ? "the row '" + owner->row_id + "'" : owner->place;
    item.outcome.judged.violations.push_back(
        {column,
         "unique",
         column + " is " + to_display(*value) + ", which " + whose + " has already"});
  }
}

// What a plan of rows does to the files: the file of each new row, each changed row with its new
// bytes, what is removed, and the notes that follow a row to its new id.

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

std::string_view path_in(const DatabaseFolder& folder, std::string_view path) {
  return folder.id() == "." ? path : path.substr(folder.id().size() + 1);
}

// The path of a row under another id: the same kind of file.
std::string path_of_new_id(const DatabaseFolder& folder,
                           const RowFile& file,
                           const std::string& new_id) {
  const std::string path = folder.names().path_under(path_in(folder, file.path), new_id);
  return folder.full_path(path.empty() ? folder.names().candidates(new_id).front() : path);
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
  const std::string& wanted = outcome.row_id;
  if (!item.operation.row.row_id.empty()) {
    const auto existing = folder.find_row(pending_, wanted);
    if (!existing) return existing.error();
    if (*existing) return id_taken(wanted, wanted);
  }
  // A folder of .yaml rows gets another .yaml row, unless it has a body; one of .mdx rows .mdx.
  const auto candidates = folder.names().candidates(outcome.row_id);
  auto chosen = candidates.begin();
  if (candidates.empty()) {
    return Error{ErrorCode::path_not_allowed,
                 "the database would not list a row '" + outcome.row_id + "'",
                 Map{}};
  }
  const std::string& ending = item.table.ending;
  if (!ending.empty() && (item.body.empty() || is_markdown_file("row" + ending))) {
    const auto alike = std::ranges::find_if(
        candidates, [&](const std::string& path) { return path.ends_with(ending); });
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
  const auto before = item.before ? Result<RowFile>(*std::move(item.before)) : read(item);
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
  const bool is_same = after.note.bytes() == before->note.bytes();
  const auto done = is_same
                        ? Result<void>()
                        : put(item, {Step::replace(after.path, before->etag, after.note.bytes())});
  after.etag = item.outcome.etag;
  if (items_.size() == 1) item.outcome.updated = std::move(after);
  return done;
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
  for (const std::string& path : references->left)
    warnings_.push_back(path + " still names the row '" + before.id +
                        "': a canvas cannot hold a link to its new name");
  if (references->kept > 0) {
    warnings_.push_back(
        std::to_string(references->kept) + (references->kept == 1 ? " link" : " links") +
        " to other notes would have meant '" + new_id + "' and now name their notes by the path");
  }
  Step made = Step::create(outcome.path, after.note.bytes());
  made.like = before.path;
  std::vector<Step> steps{Step::remove(before.path, before.etag), std::move(made)};
  if (folder.names().is_bundle(path_in(folder, before.path)))
    steps.push_back(Step::remove_folder(std::string(folder_of(before.path))));
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
  if (folder.names().is_bundle(path_in(folder, file->path)))
    steps.push_back(Step::remove_folder(std::string(folder_of(file->path))));
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
