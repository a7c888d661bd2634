#include "database/row_plan.h"

#include <algorithm>

#include "core/text.h"
#include "files/names.h"
#include "index/row_table.h"

namespace notesdb {

namespace {

constexpr int max_suggested = 3;       // missing rows for which the nearest ids are looked for
constexpr std::size_t few_values = 8;  // that are looked for one by one

// The ending that all of these paths have; empty if they differ or there are none.
std::string common_ending(const RowTable& table) {
  std::string_view ending;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const std::string_view path = table.relative_path(row);
    if (row == 0) ending = ending_of(path);
    if (!path.ends_with(ending)) return {};
  }
  return std::string(ending);
}

std::vector<std::string> ids_in(const RowTable& table) {
  std::vector<std::string> ids = table.unreadable_ids();
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    ids.emplace_back(table.row_id(row));
  return ids;
}

// Which rows have any of the values; of many values simply which rows have which.
void add_owners(const RowTable& table,
                std::size_t column,
                const List& wanted,
                ValueOwners& owners) {
  const auto codes = table.codes(column);
  const auto add_rows = [&](const std::vector<bool>* wanted_codes) {
    for (std::uint32_t row = 0; row < table.row_count(); ++row) {
      const std::uint32_t code = codes[row];
      if (code == 0 || (wanted_codes != nullptr && !(*wanted_codes)[code])) continue;
      owners.add(table.value(column, code), {std::string(table.row_id(row))});
    }
  };
  if (wanted.size() > few_values) return add_rows(nullptr);
  for (const Value& value : wanted) {
    const std::vector<bool> same = table.codes_like(column, value);
    add_rows(&same);
  }
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
  const auto database = workspace_.get(database_id);
  auto folder = database ? (*database)->folder()
                         : Result<std::shared_ptr<const DatabaseFolder>>(database.error());
  if (folder) {
    table->reader = *database;
    table->folder = *std::move(folder);
  } else {
    table->failure = folder.error();
  }
  return *table;
}

std::shared_ptr<const DatabaseFolder> RowPlan::folder(const std::string& database_id) const {
  return tables_.at(database_id)->folder;
}

template <typename Work>
void RowPlan::each(const Work& work) {
  for (Item& item : items_) {
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
    if (auto taken = take_snapshots(); !taken) {
      outcomes_.front().failure = taken.error();
      return;
    }
    each([&](Item& item) { return name(item); });
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
  const auto file = read(item);
  if (!file) return file.error();
  if (*change.etag != file->etag) return stale(*item.table.folder, *file);
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
    outcome.row_id = operation.row.row_id;
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

Result<void> RowPlan::take_snapshots() {
  if (stage_ == Stage::before_lock && items_.size() > 1) holds_ = ground();
  for (auto& [id, table] : tables_) {
    if (table->failure) continue;
    const Schema& schema = table->folder->schema();
    for (const auto& [column, values] : table->wanted)
      table->owners.emplace(column, ValueOwners(schema, column));
    if (!table->gives_ids && table->owners.empty()) continue;
    std::vector<std::string> ids;
    const auto look = [&](const DatabaseFolder&, const RowTable& rows) {
      if (table->gives_ids) ids = ids_in(rows);
      if (table->gives_ids) table->ending = common_ending(rows);
      for (auto& [column, owners] : table->owners)
        add_owners(rows, *schema.index_of(column), table->wanted[column], owners);
    };
    if (table->reader != nullptr) {
      if (auto done = table->reader->with_rows(look); !done) return done.error();
    }
    if (table->gives_ids)
      table->ids.emplace(schema, table->folder->names().folder_of_new(), std::move(ids));
  }
  return {};
}

// Which rows and schemas the plan rests on, as they are now: the databases of the operations and
// those that their relations name.
std::function<bool()> RowPlan::ground() {
  using State = std::vector<std::pair<Etag, std::vector<RowStamp>>>;
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
      auto rows = (*database)->stamps();
      if (folder && rows) state.emplace_back((*folder)->schema_etag(), *std::move(rows));
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
    const std::string& wanted = item.operation.row.row_id;
    auto id = table.ids->take(wanted, slug_source(item.schema(), item.outcome.judged.fields));
    if (!id) return id.error();
    item.outcome.row_id = *std::move(id);
  } else if (item.renames()) {
    table.ids->release(row_id);
    auto id = table.ids->take(item.operation.change.new_row_id, "");
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

}  // namespace notesdb
