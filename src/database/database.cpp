#include "database/database.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/text.h"
#include "core/threads.h"
#include "database/key_order.h"
#include "database/note_fields.h"
#include "database/plan_cache.h"
#include "database/relation_targets.h"
#include "database/row_access.h"
#include "database/table_check.h"
#include "index/row_cache.h"

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
  auto table = cache_->lease();
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
  const TableCheck check(table, folder.schema(), [&](const auto& database, const auto& row) {
    return targets.has(database, row);
  });
  for (const std::uint32_t row : check.rows()) {
    const auto file = read_row_file(files_, folder, table.row_id(row));
    if (!file) continue;
    const std::vector<Issue> of_file = to_row(folder, *file).issues;
    add(of_file);
    for (const Violation& violation : check.violations(row)) {
      if (!follows_from(violation, of_file)) issues.push_back(to_issue(violation, *file));
    }
  }
  sort_issues(issues);
  return issues;
}

Row Database::describe(const DatabaseFolder& folder, const RowFile& file) const {
  Row row = to_row(folder, file);
  const Schema& schema = folder.schema();
  const FieldRules rules(schema);
  RelationTargets targets(files_);
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const Column& column = schema.columns[i];
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

}  // namespace notesdb
