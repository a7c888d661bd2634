#include "database/database.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/budget.h"
#include "core/progress.h"
#include "core/text.h"
#include "core/threads.h"
#include "database/derived_columns.h"
#include "database/key_order.h"
#include "database/note_fields.h"
#include "database/query_plan.h"
#include "database/relation_targets.h"
#include "database/reverse_rollups.h"
#include "database/row_access.h"
#include "database/snapshot.h"
#include "database/table_check.h"
#include "index/database_folder.h"
#include "index/row_cache.h"
#include "query/field.h"

namespace notesdb {

namespace {

std::vector<std::pair<std::string, std::int64_t>> count_undeclared(const RowTable& table) {
  const KeyLists& lists = table.key_lists();
  std::vector<std::int64_t> rows(lists.size() + 1);
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    ++rows[table.facts(row).keys];
  std::map<std::string, std::int64_t> counts;
  for (std::uint32_t list = 1; list <= lists.size(); ++list) {
    const auto columns = lists.columns(list);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == KeyLists::no_column && rows[list] > 0) {
        counts[lists.keys(list)[i]] += rows[list];
      }
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(
      sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
  return sorted;
}

void sort_issues(std::vector<Issue>& issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    if (const int order = compare_natural(a.path, b.path); order != 0) return order < 0;
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

// How many violations that a check counts only follow from issues of their files.
std::int64_t count_followers(const FileSystem& files,
                             const DatabaseFolder& folder,
                             const RowTable& table,
                             const TableCheck& check) {
  std::int64_t count = 0;
  for (const std::uint32_t row : check.broken_and_incomplete()) {
    const auto file = read_row_file(files, folder, table.row_id(row));
    if (!file) continue;
    const std::vector<Issue> issues = to_row(folder, *file).issues;
    for (const Violation& violation : check.violations(row))
      count += follows_from(violation, issues) ? 1 : 0;
  }
  return count;
}

}  // namespace

Database::Database(const FileSystem& files, std::string id, WriteOptions manner)
    : files_(files),
      id_(std::move(id)),
      manner_(std::move(manner)),
      cache_(std::make_unique<RowCache>(
          files,
          id_,
          RowCache::Memory{
              manner_.remember, manner_.index_path, manner_.root_key, manner_.follower})),
      note_fields_(std::make_unique<NoteFields>(files)),
      reverse_rollups_(std::make_unique<ReverseRollups>()),
      plans_(std::make_unique<PlanCache>()) {}

Database::~Database() = default;

Result<std::shared_ptr<const DatabaseFolder>> Database::folder() const {
  const ForgettingLock guard(*cache_);
  return cache_->folder();
}

// The folder and the rows as they are now, for a look at all of them that nobody waits for.
struct Database::AllRows {
  std::shared_ptr<const DatabaseFolder> folder;
  TableLease<RowTable> table;
  std::vector<Issue> listing_issues;
};

Result<Database::AllRows> Database::read_all() const {
  const ForgettingLock guard(*cache_);
  const auto folder = cache_->folder();
  if (!folder) return folder.error();
  auto table = cache_->lease(question_time());
  if (!table) return table.error();
  return AllRows{*folder, *std::move(table), cache_->listing_issues()};
}

Result<SchemaAnswer> Database::schema() const {
  const auto all = read_all();
  if (!all) return all.error();
  const SchemaDocument& document = all->folder->document();
  SchemaAnswer answer;
  answer.schema = document.schema;
  answer.etag = all->folder->schema_etag();
  answer.issues = document.issues;
  answer.notes = to_utf8(document.note.body());
  answer.undeclared = count_undeclared(*all->table);
  return answer;
}

Result<DatabaseSummary> Database::summary() const {
  const auto all = read_all();
  if (!all) return all.error();
  const RowTable& table = *all->table;
  const Schema& schema = all->folder->schema();
  RelationTargets targets(files_);
  targets.add(all->folder, table);
  const TableCheck check(table, schema, [&](const auto& database, const auto& row) {
    return targets.has(database, row);
  });
  DatabaseSummary summary{id_, schema.name, schema.description};
  summary.row_count = table.row_count();
  summary.column_count = static_cast<std::int64_t>(schema.columns.size());
  summary.issue_count =
      check.count() - count_followers(files_, *all->folder, table, check) +
      static_cast<std::int64_t>(all->folder->document().issues.size() + all->listing_issues.size() +
                                table.unreadable_count());
  return summary;
}

Result<std::vector<Issue>> Database::issues() const {
  const auto all = read_all();
  if (!all) return all.error();
  const DatabaseFolder& folder = *all->folder;
  const RowTable& table = *all->table;
  std::vector<Issue> issues = folder.document().issues;
  const auto add = [&](const std::vector<Issue>& more) {
    issues.insert(issues.end(), more.begin(), more.end());
  };
  add(all->listing_issues);
  add(table.unreadable());
  RelationTargets targets(files_);
  targets.add(all->folder, table);
  const TableCheck check(table, folder.schema(), [&](const auto& database, const auto& row) {
    return targets.has(database, row);
  });
  const std::vector<std::uint32_t> invalid = check.rows();
  Progress::begin(invalid.size(), "placing issues");
  for (const std::uint32_t row : invalid) {
    Budget::look();
    Progress::step();
    const auto file = read_row_file(files_, folder, table.row_id(row));
    if (!file) continue;
    const std::vector<Issue> of_file = to_row(folder, *file).issues;
    add(of_file);
    for (const Violation& violation : check.violations(row)) {
      if (!follows_from(violation, of_file)) issues.push_back(to_issue(violation, *file));
    }
  }
  const bool has_formulas =
      std::ranges::any_of(folder.formulas().all(),
                          [](const FormulaColumn& formula) { return formula.problem.empty(); });
  if (has_formulas) {
    if (auto done = add_failed_formulas(issues); !done) return done.error();
  }
  sort_issues(issues);
  return issues;
}

// The rows for which a formula fails, though it can be read.
Result<void> Database::add_failed_formulas(std::vector<Issue>& issues) const try {
  const auto snapshot = this->snapshot();
  if (!snapshot) return snapshot.error();
  const RowTable& rows = (*snapshot)->rows();
  std::vector<std::size_t> columns;
  for (const FormulaColumn& formula : (*snapshot)->formulas().all())
    if (formula.problem.empty()) columns.push_back(formula.column);
  if (columns.empty()) return {};
  const auto computed = (*snapshot)->with_computed(columns);
  if (!computed) return computed.error();
  for (const std::size_t column : columns) {
    const auto codes = (*computed)->codes(column);
    const std::string& id = (*snapshot)->schema().columns[column].id;
    for (std::uint32_t row = 0; row < rows.row_count(); ++row) {
      if (codes[row] == 0 || (*computed)->fits(column, codes[row])) continue;
      const Value value = (*computed)->value(column, codes[row]);
      const Value* why = value.find("error");
      Issue issue;
      issue.path = rows.path(row);
      issue.rule = "formula";
      issue.field = id;
      issue.message = id + ": " +
                      (why != nullptr && why->is_text()
                           ? why->text()
                           : to_display(value) + " is no value of the type that the others have");
      issues.push_back(std::move(issue));
    }
  }
  return {};
} catch (const BudgetSpent& spent) {
  return spent.error();
}

Row Database::describe(const DatabaseFolder& folder, const RowFile& file) const {
  Row row = to_row(folder, file);
  const Schema& schema = folder.schema();
  const FieldRules rules(schema);
  RelationTargets targets(files_);
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const Column& column = schema.columns[i];
    if (column.is_computed()) continue;
    const auto is_of_column = [&](const Issue& issue) { return issue.field == column.id; };
    if (std::any_of(row.issues.begin(), row.issues.end(), is_of_column)) continue;
    const Value* value = find_member(row.fields, column.id);
    auto violations = rules.check(i, value == nullptr ? std::nullopt : std::optional(*value));
    if (column.type == ColumnType::relation && value != nullptr) {
      for (Violation& violation : check_relation(
               column, *value, [&](const auto&d, const auto&r) { return targets.has(d, r); })) {
        violations.push_back(std::move(violation));
      }
    }
    for (const Violation& violation : violations)
      row.issues.push_back(to_issue(violation, file));
  }
  return row;
}

Result<std::vector<RowStamp>> Database::stamps() const {
  const auto all = read_all();
  if (!all) return all.error();
  const RowTable& table = *all->table;
  std::vector<RowStamp> stamps;
  stamps.reserve(table.row_count());
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    stamps.push_back({std::string(table.row_id(row)), table.facts(row).etag});
  return stamps;
}

Result<std::uint64_t> Database::version() const {
  const auto all = read_all();
  if (!all) return all.error();
  return all->table->version();
}

Result<void> Database::with_rows(const Look& look) const {
  const auto all = read_all();
  if (!all) return all.error();
  look(*all->folder, *all->table);
  return {};
}

std::vector<std::string> Database::key_order() const {
  std::vector<std::string> order;
  (void)with_rows([&](const auto&, const RowTable& rows) { order = usual_key_order(rows); });
  return order;
}

Result<std::vector<std::string>> Database::row_ids() const {
  const auto all = read_all();
  if (!all) return all.error();
  const RowTable& table = *all->table;
  std::vector<std::string> ids;
  ids.reserve(table.row_count());
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    ids.emplace_back(table.row_id(row));
  return ids;
}

Result<std::string> Database::path_of(std::string_view row_id) const {
  const auto current = folder();
  if (!current) return current.error();
  const auto path = (*current)->find_row(files_, row_id);
  if (!path) return path.error();
  if (*path) return (*current)->full_path(**path);
  const auto file = read_row_file(files_, **current, row_id);  // says what is nearest
  if (!file) return file.error();
  return file->path;
}

void Database::rescan() const {
  cache_->rescan();
}

// What related rows add to a database: the columns that follow a relation (assignee.name) and those
// that roll one up, with their values.

namespace {

// Rollups of rollups and relations of relations end here, since they may go in a circle.
constexpr int deepest = 4;
constexpr std::int64_t all_rows = std::int64_t{1} << 53;  // the most that a limit may be

}  // namespace

// The folder of each database that a question leads through, looked at once for all its columns.
class Database::SeenFolders {
 public:
  Result<std::shared_ptr<const DatabaseFolder>> of(const Database& database) {
    const auto found = folders_.find(&database);
    if (found != folders_.end()) return found->second;
    auto folder = database.folder();
    if (folder) folders_.emplace(&database, *folder);
    return folder;
  }

 private:
  std::map<const Database*, std::shared_ptr<const DatabaseFolder>> folders_;
};

// The columns that follow relations to one database, for which it is asked once.
struct Database::FollowedDatabase {
  std::vector<std::size_t> columns;  // places among those that are derived
  std::vector<std::string> fields;   // what each of them is over
};

Result<Column> Database::related_column(const Column& relation,
                                        std::string_view field,
                                        int depth,
                                        SeenFolders& seen) const {
  if (!manner_.neighbour || depth >= deepest) {
    return Error{ErrorCode::unknown_field, "unknown field '" + std::string(field) + "'", Map{}};
  }
  const auto target = manner_.neighbour(relation.target);
  if (!target) return target.error();
  const auto folder = seen.of(**target);
  if (!folder) return folder.error();
  return (*target)->column_of(field, (*folder)->schema(), depth + 1, seen);
}

Result<Column> Database::column_of(std::string_view name,
                                   const Schema& schema,
                                   int depth,
                                   SeenFolders& seen) const {
  const bool is_column = schema.find(name) != nullptr;
  if (const Column* relation = is_column ? nullptr : followed_relation(schema, name)) {
    auto field = related_column(*relation, name.substr(relation->id.size() + 1), depth, seen);
    if (!field) return field.error();
    return followed_column(*relation, std::move(*field), std::string(name));
  }
  if (auto column = note_field_column(name); column && !is_column) return *std::move(column);
  const auto field = bind_field(name, schema);
  if (!field) return field.error();
  if (field->source != Field::Source::column || !field->steps.empty()) {
    Column pseudo;
    pseudo.id = name;
    pseudo.type = field->steps.empty() ? field->type : ColumnType::json;
    return pseudo;
  }
  const Column& column = schema.columns[field->column];
  if (!column.rollup) return column;
  if (!column.rollup->from.empty()) return reverse_column(column, depth, seen);
  const Column* relation = schema.find(column.rollup->relation);
  // Rows are counted without a field of theirs.
  if (relation == nullptr || column.rollup->field.empty()) return rollup_column(column, nullptr);
  const auto over = related_column(*relation, column.rollup->field, depth, seen);
  return rollup_column(column, over ? &*over : nullptr);
}

// What the rows of `target` say of the fields that `columns` are over, which have no value yet.
Result<void> Database::add_related_values(const Database& target,
                                          const std::vector<std::string>& fields,
                                          const std::vector<DerivedColumn*>& columns,
                                          int depth) {
  QueryRequest request;
  for (const std::string& field : fields)
    request.select.push_back(field.empty() ? "_id" : field);
  std::ranges::sort(request.select);
  request.select.erase(std::unique(request.select.begin(), request.select.end()),
                       request.select.end());
  request.limit = all_rows;
  auto rows = target.query_at(request, depth + 1);
  if (!rows) return rows.error();
  for (Row& row : rows->rows) {
    std::unordered_map<std::string_view, const Value*> values;
    for (const Member& member : row.fields)
      values.emplace(member.key, &member.value);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& field = fields[i];
      const auto value = values.find(field);
      Value found = value != values.end() ? *value->second : Value();
      if (field == "_id" || field == "row_id") found = row.id;
      if (field == "_modified") found = row.modified;
      columns[i]->related.emplace(row.id, std::move(found));
    }
  }
  return {};
}

// Where one of the fields cannot be asked for, each is asked for by itself.
std::vector<Result<void>> Database::follow(const std::string& database,
                                           const FollowedDatabase& followed,
                                           std::vector<DerivedColumn>& columns,
                                           int depth) const {
  const std::size_t count = followed.columns.size();
  const auto target = manner_.neighbour(database);
  if (!target) return std::vector<Result<void>>(count, target.error());
  std::vector<DerivedColumn*> all;
  for (const std::size_t place : followed.columns)
    all.push_back(&columns[place]);
  if (const auto done = add_related_values(**target, followed.fields, all, depth);
      done || count == 1)
    return std::vector<Result<void>>(count, done);
  std::vector<Result<void>> each;
  for (std::size_t i = 0; i < count; ++i)
    each.push_back(add_related_values(**target, {followed.fields[i]}, {all[i]}, depth));
  return each;
}

// What the notes say beside their fields, as columns of their own.
Result<void> Database::add_note_fields(const std::vector<std::string>& names,
                                       DerivedColumns& derived) const {
  std::vector<DerivedColumn> columns;
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    if (derived.schema().find(name) != nullptr || std::ranges::count(wanted, name) > 0) continue;
    auto column = note_field_column(name);
    if (!column) continue;
    DerivedColumn& made = columns.emplace_back();
    made.column = *std::move(column);
    made.is_own = true;
    wanted.push_back(name);
  }
  if (wanted.empty() || !manner_.links) return {};
  auto values = note_fields_->read(*this, wanted, manner_.links(), manner_.neighbour);
  if (!values) return values.error();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].related = std::move((*values)[i]);
    derived.add(std::move(columns[i]));
  }
  return {};
}

// What a rollup over the rows that name this one is for filters and sorts.
Result<Column> Database::reverse_column(const Column& declared,
                                        int depth,
                                        SeenFolders& seen) const {
  const std::string& name = declared.rollup->field;
  const RollupSource source = source_of(declared.rollup->from);
  const bool has_field = !name.empty() && name != "_id" && !source.database.empty();
  if (!has_field || !manner_.neighbour || depth >= deepest) return rollup_column(declared, nullptr);
  const auto from = manner_.neighbour(source.database);
  if (!from) return from.error();
  const auto folder = seen.of(**from);
  if (!folder) return folder.error();
  const auto field = (*from)->column_of(name, (*folder)->schema(), depth + 1, seen);
  return rollup_column(declared, field ? &*field : nullptr);
}

// The rows of each database that a question's rollups are over, looked at once for all of them.
class Database::SeenRows {
 public:
  Result<Snapshot*> of(const Database& database) {
    auto& snapshot = snapshots_[&database];
    if (!snapshot) {
      auto taken = database.snapshot();
      if (!taken) return taken.error();
      snapshot = *std::move(taken);
    }
    return snapshot.get();
  }

 private:
  std::map<const Database*, std::unique_ptr<Snapshot>> snapshots_;
};

// Over the rows of another database, as a look at both finds them.
Result<void> Database::add_reverse_values(DerivedColumn& column, SeenRows& seen) const {
  const Rollup& rollup = *column.rollup;
  const RollupSource from = source_of(rollup.from);
  const auto database = manner_.neighbour(from.database);
  if (!database) return database.error();
  const auto snapshot = seen.of(**database);
  if (!snapshot) return snapshot.error();
  const Schema& schema = (*snapshot)->schema();
  const RowTable& rows = (*snapshot)->rows();
  const auto relation = schema.index_of(from.column);
  if (!relation || schema.columns[*relation].type != ColumnType::relation)
    return unknown_column(from.column, schema);
  ReverseRollups::Source source{
      &schema.columns[*relation], {&rows, *relation, rows.numbering(*relation)}, {}};
  if (!rollup.field.empty() && rollup.field != "_id") {
    const auto field = schema.index_of(rollup.field);
    if (!field) return unknown_column(rollup.field, schema);
    source.field = {&rows, *field, rows.numbering(*field)};
    if (schema.columns[*field].is_computed()) {
      const auto computed = (*snapshot)->with_computed(std::span(&*field, 1));
      if (!computed) return computed.error();
      // What holds for this question only has no number by which it is known again.
      static std::atomic<std::uint64_t> others{std::uint64_t{1} << 63U};
      const bool is_kept = *computed == &rows;
      source.field = {*computed, *field, is_kept ? rows.numbering(*field) : ++others};
    }
  }
  const auto own = seen.of(*this);
  if (!own) return own.error();
  const RowTable& named = (*own)->rows();
  const ReverseRollups::Targets targets{
      named.numbering(),
      [&](const std::string& id) { return named.find(id).has_value(); },
      [&](LinkNames& names) {
        for (std::uint32_t row = 0; row < named.row_count(); ++row)
          names.add(std::string(named.row_id(row)) + ".md");
      }};
  column.by_row = reverse_rollups_->values(column.column, source, targets);
  return {};
}

// A rollup that cannot be computed has no value, and keeps no other from being asked for.
void Database::add_reverse_rollups(const Schema& schema,
                                   const std::vector<std::string>& names,
                                   DerivedColumns& derived,
                                   int depth,
                                   SeenFolders& seen) const {
  const auto is_reverse = [](const Column& column) {
    return column.rollup && !column.rollup->from.empty();
  };
  if (std::ranges::none_of(schema.columns, is_reverse)) return;
  SeenRows rows;
  std::unordered_set<std::string_view> known;
  for (const std::string& name : names) {
    const auto place = schema.index_of(name);
    if (!place || !is_reverse(schema.columns[*place]) || !known.insert(name).second) continue;
    DerivedColumn made;
    made.place = *place;
    made.rollup = schema.columns[*place].rollup;
    made.is_own = true;
    made.of_none = rolled_up(*made.rollup, {}, 0);
    const auto column = reverse_column(schema.columns[*place], depth, seen);
    if (!column) continue;
    made.column = *column;
    if (made.rollup->from == from_backlinks) {
      if (!add_backlink_values(made)) continue;
    } else if (!add_reverse_values(made, rows)) {
      continue;
    }
    derived.add(std::move(made));
  }
}

// Over all notes that link to a row.
Result<void> Database::add_backlink_values(DerivedColumn& column) const {
  if (!manner_.links) return Error{ErrorCode::unknown_field, "nobody knows the links", Map{}};
  const std::vector<std::string> names{std::string(from_backlinks)};
  auto values = note_fields_->read(*this, names, manner_.links(), manner_.neighbour);
  if (!values) return values.error();
  for (const auto& [row, links] : values->front())
    column.related.emplace(row, rolled_up(*column.rollup, links.list(), links.list().size()));
  return {};
}

Result<DerivedColumns> Database::derive(const DatabaseFolder& folder,
                                        const std::vector<std::string>& names,
                                        int depth) const {
  const Schema& schema = folder.schema();
  DerivedColumns derived(schema);
  if (names.empty() || !manner_.neighbour || depth >= deepest) return derived;
  SeenFolders seen;
  std::vector<DerivedColumn> columns;
  std::map<std::string, FollowedDatabase> databases;
  std::unordered_set<std::string_view> known;
  for (const std::string& name : names) {
    const auto place = schema.index_of(name);
    const Column* relation = followed_relation(schema, name);
    if (relation == nullptr || !known.insert(name).second) continue;
    auto column = column_of(name, schema, depth, seen);
    // What cannot be followed is refused where it is asked for.
    if (!column) continue;
    DerivedColumn made{*std::move(column),
                       place.value_or(0),
                       static_cast<std::size_t>(relation - schema.columns.data())};
    if (place) made.rollup = schema.columns[*place].rollup;
    std::string field = made.rollup ? made.rollup->field : name.substr(relation->id.size() + 1);
    if (made.rollup && field.empty() && made.rollup->function == "list") field = "_id";
    // A rollup of a field that is gone has no value, and keeps no other from being asked for.
    if (made.rollup && !field.empty() && !related_column(*relation, field, depth, seen)) continue;
    FollowedDatabase& followed = databases[relation->target];
    followed.columns.push_back(columns.size());
    followed.fields.push_back(field);
    columns.push_back(std::move(made));
  }
  std::vector<Result<void>> done(columns.size());
  for (const auto& [id, followed] : databases) {
    auto each = follow(id, followed, columns, depth);
    for (std::size_t i = 0; i < each.size(); ++i)
      done[followed.columns[i]] = std::move(each[i]);
  }
  if (auto added = add_note_fields(names, derived); !added) return added.error();
  add_reverse_rollups(schema, names, derived, depth, seen);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_rollup = columns[i].rollup.has_value();
    if (!done[i] && !is_rollup) return done[i].error();
    // Nor has one over a database that cannot be asked.
    if (done[i]) derived.add(std::move(columns[i]));
  }
  return derived;
}

}  // namespace notesdb
