// What related rows add to a database: the columns that follow a relation (assignee.name) and those
// that roll one up, with their values.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "database/database.h"
#include "database/derived_columns.h"
#include "database/note_fields.h"
#include "index/database_folder.h"
#include "query/field.h"

namespace notesdb {
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
    const std::string field =
        made.rollup ? made.rollup->field : name.substr(relation->id.size() + 1);
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
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_rollup = columns[i].rollup.has_value();
    if (!done[i] && !is_rollup) return done[i].error();
    // Nor has one over a database that cannot be asked.
    if (done[i]) derived.add(std::move(columns[i]));
  }
  return derived;
}

}  // namespace notesdb
