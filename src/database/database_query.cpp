// How a database is asked: queries and aggregates over its own columns and those that related rows
// add.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <unordered_set>

#include "core/budget.h"
#include "core/text.h"
#include "core/threads.h"
#include "database/database.h"
#include "database/derived_columns.h"
#include "database/formula_table.h"
#include "database/note_fields.h"
#include "database/query_plan.h"
#include "database/relation_targets.h"
#include "database/row_access.h"
#include "database/row_sink.h"
#include "database/snapshot.h"
#include "index/relation_cache.h"
#include "index/row_cache.h"
#include "query/aggregate.h"

namespace notesdb {
namespace {

class CollectedRows : public RowSink {
 public:
  void begin(const std::vector<std::string>& /*columns*/, std::size_t rows) override {
    rows_.reserve(rows);
  }
  using RowSink::take;
  void take(Row row) override {
    Budget::take(sizeof(Row) + row.body.size() + row.fields.size() * sizeof(Member));
    rows_.push_back(std::move(row));
  }
  std::vector<Row> rows() && { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

// For an answer that only counts: how many rows have fields that cannot be read, if any.
void add_broken(const RowTable& table, const std::string& id, std::string& hint) {
  std::int64_t count = 0;
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    count += table.facts(row).broken > 0 ? 1 : 0;
  if (count == 0) return;
  hint += (hint.empty() ? "" : "; ") + std::to_string(count) + (count == 1 ? " row" : " rows");
  hint += " of " + id + (count == 1 ? " has" : " have") +
          " fields that cannot be read; see: notesdb check " + id;
}

// What keeps fields of a broken file from being among the row's.
void add_issues(const FileSystem& files, const DatabaseFolder& folder, Row& row) {
  const auto file = read_row_file(files, folder, row.id);
  if (file && file->etag == row.etag) row.issues = to_row(folder, *file).issues;
}

// A file that changed since the table was read is answered as it is now: fields, body and etag of
// one reading. What the schema does not declare is at hand then, and comes with it.
void add_body(const FileSystem& files, const DatabaseFolder& folder, Row& row) {
  const auto file = read_row_file(files, folder, row.id);
  if (!file) return;
  Row now = to_row(folder, *file);
  row.extra = std::move(now.extra);
  if (file->etag == row.etag) {
    row.body = to_utf8(file->note.body());
    return;
  }
  for (Member& field : row.fields) {
    if (const Value* value = find_member(now.fields, field.key)) field.value = *value;
  }
  row.etag = now.etag;
  row.body = now.body;
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields)
    names.push_back(field.name);
  return names;
}

bool is_formula(const Schema& schema, std::string_view name) {
  const Column* column = column_named(schema, name);
  return column != nullptr && !column->expression.empty();
}

// Whether a name leads into other databases, or into the text of notes; a formula may.
bool is_followed(const Schema& schema, std::string_view name) {
  if (const Column* declared = schema.find(name)) {
    if (!declared->rollup) return !declared->expression.empty();
    return !declared->rollup->from.empty() || followed_relation(schema, name) != nullptr;
  }
  if (is_formula(schema, name)) return true;
  const bool is_note_field = name.starts_with('_') && note_field_column(name).has_value();
  return is_note_field || followed_relation(schema, name) != nullptr;
}

bool is_relation(const Schema& schema, std::string_view name) {
  const Column* column = schema.find(name);
  return column != nullptr && column->type == ColumnType::relation;
}

// The names in a request that are of some kind: of all texts that stand in it, since some of them
// name fields. "due:month" and "sum:estimate" hold a name too.
class FollowedNames {
 public:
  using IsWanted = bool (*)(const Schema& schema, std::string_view name);
  explicit FollowedNames(const Schema& schema, IsWanted is_wanted = is_followed)
      : schema_(schema), is_wanted_(is_wanted) {}

  void add(std::string_view text) {
    if (is_wanted_(schema_, text)) names_.emplace_back(text);
  }
  void add_all(const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      add(text);
  }
  void add_texts(const Value& value) {
    if (value.is_text()) {
      const std::string_view text = value.text();
      add(text);
      if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        add(text.substr(0, colon));
        add(text.substr(colon + 1));
      }
    }
    if (value.is_list()) {
      for (const Value& item : value.list())
        add_texts(item);
    }
    if (value.is_map()) {
      for (const Member& member : value.map())
        add_texts(member.value);
    }
  }
  // "-assignee.name" and "assignee.name desc, due" hold names too.
  void add_sorts(const Value& value) {
    add_texts(value);
    for (const Value& one : value.is_list() ? value.list() : List{value}) {
      std::string_view rest = one.is_text() ? std::string_view(one.text()) : std::string_view();
      while (!rest.empty()) {
        const std::size_t begin = std::min(rest.find_first_not_of(" -,"), rest.size());
        rest.remove_prefix(begin);
        const std::size_t end = std::min(rest.find_first_of(" :,"), rest.size());
        add(rest.substr(0, end));
        rest.remove_prefix(end == rest.size() ? end : end + 1);
      }
    }
  }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  const Schema& schema_;
  IsWanted is_wanted_;
  std::vector<std::string> names_;
};

// In place of formulas the rollups that they are computed from.
std::vector<std::string> with_rollups(std::vector<std::string> names,
                                      const DatabaseFolder& folder) {
  if (folder.formulas().empty()) return names;
  std::vector<std::string> led;
  std::vector<std::string> formulas;
  for (std::string& name : names) {
    if (is_formula(folder.schema(), name)) {
      formulas.push_back(column_named(folder.schema(), name)->id);
    } else {
      led.push_back(std::move(name));
    }
  }
  std::ranges::move(folder.formulas().rollups_of(formulas), std::back_inserter(led));
  return led;
}

// What the rows are told apart by, sorted and grouped.
void add_compared(const QueryRequest& request, const View* view, FollowedNames& names) {
  names.add_texts(request.filters);
  names.add_sorts(request.sort);
  if (view == nullptr) return;
  names.add_texts(view->filters);
  names.add_texts(view->sorts);
  names.add(view->group_by);
  names.add(view->date_column);
}

void add_compared(const AggregateArguments& arguments, FollowedNames& names) {
  for (const Value* value : {&arguments.filters, &arguments.group_by, &arguments.metrics})
    names.add_texts(*value);
}

template <typename Request>
std::vector<std::string> compared_names(const Request& request,
                                        const Schema& schema,
                                        FollowedNames::IsWanted is_wanted) {
  FollowedNames names(schema, is_wanted);
  if constexpr (std::is_same_v<Request, QueryRequest>)
    add_compared(request, schema.find_view(request.view), names);
  else
    add_compared(request, names);
  return std::move(names).names();
}

// The columns that these names are about.
std::vector<std::string> compared_columns(const std::vector<std::string>& names,
                                          const Schema& schema) {
  std::vector<std::string> ids;
  for (const std::string& name : names)
    if (const Column* column = column_named(schema, name)) ids.push_back(column->id);
  return ids;
}

std::vector<std::string> followed_names(const QueryRequest& request, const DatabaseFolder& folder) {
  const Schema& schema = folder.schema();
  FollowedNames names(schema);
  names.add_all(request.select);
  const View* view = schema.find_view(request.view);
  add_compared(request, view, names);
  if (view != nullptr) names.add_all(view->columns);
  if (request.select.empty() && (view == nullptr || view->columns.empty())) {
    for (const Column& column : schema.columns)
      names.add(column.id);
  }
  return with_rollups(std::move(names).names(), folder);
}

std::vector<std::string> followed_names(const AggregateArguments& arguments,
                                        const DatabaseFolder& folder) {
  return with_rollups(compared_names(arguments, folder.schema(), is_followed), folder);
}

// The values of a relation as they are compared; empty where that is what stands in the files: no
// value is a link that means a row by its name.
std::vector<Value> meant_values(RelationTargets& targets,
                                const RowTable& table,
                                const Column& column,
                                std::size_t place) {
  std::vector<Value> values;
  const std::uint32_t count = table.value_count(place);
  const auto meant = [&](const Value& item) -> std::optional<std::string> {
    if (!item.is_text() || !trimmed(item.text()).starts_with('[')) return std::nullopt;
    for (const std::string& id : related_rows(column, item))
      if (targets.has(column.target, id)) return std::nullopt;
    return targets.row_meant(column.target, item.text());
  };
  for (std::uint32_t code = 1; code <= count; ++code) {
    const auto plain = table.plain(place, code);
    const bool holds_link = !plain || plain->encoded.find('[') != std::string_view::npos;
    if (!holds_link && values.empty()) continue;
    Value value = table.value(place, code);
    bool is_changed = false;
    const auto replace = [&](Value& item) {
      if (auto id = meant(item)) {
        item = *std::move(id);
        is_changed = true;
      }
    };
    if (value.is_list()) {
      std::ranges::for_each(value.list(), replace);
    } else {
      replace(value);
    }
    if (!is_changed && values.empty()) continue;
    if (values.empty()) {
      for (std::uint32_t before = 1; before < code; ++before)
        values.push_back(table.value(place, before));
    }
    values.push_back(std::move(value));
  }
  return values;
}

// Those of the relations whose values are compared otherwise than they stand in the files.
std::vector<DerivedColumn> meant_columns(const FileSystem& files,
                                         const Schema& schema,
                                         const RowTable& table,
                                         const std::vector<std::string>& relations) {
  std::vector<DerivedColumn> columns;
  RelationTargets targets(files);
  std::unordered_set<std::string_view> known;
  for (const std::string& name : relations) {
    if (!known.insert(name).second) continue;
    DerivedColumn column;
    column.place = *schema.index_of(name);
    column.column = schema.columns[column.place];
    column.meant = meant_values(targets, table, column.column, column.place);
    if (!column.meant.empty()) columns.push_back(std::move(column));
  }
  return columns;
}

// The rows as a question compares them.
class ComparedTable {
 public:
  ComparedTable(const Table& values, const Schema& schema, std::vector<DerivedColumn> meant)
      : values_(values) {
    if (meant.empty()) return;
    DerivedColumns replaced(schema);
    for (DerivedColumn& column : meant)
      replaced.replace(std::move(column));
    compared_.emplace(values, replaced);
  }
  bool is_other() const { return compared_.has_value(); }
  const Table& table() const { return compared_ ? *compared_ : values_; }

 private:
  const Table& values_;
  std::optional<DerivedTable> compared_;
};

// The rows of a question, with what it asks for beside their own columns: fields of related rows,
// formulas, and relations by the rows that their links mean.
class AskedRows {
 public:
  template <typename Asked, typename Request>
  AskedRows(const FileSystem& files, const Asked& asked, const Request& request)
      : with_derived_(*asked.table, asked.derived),
        formulas_(asked.derived.empty() ? static_cast<const Table&>(*asked.table) : with_derived_,
                  *asked.table,
                  *asked.folder,
                  files,
                  asked.now),
        compared_(filled(formulas_, request, asked.folder->schema()),
                  asked.derived.schema(),
                  meant_columns(files,
                                asked.folder->schema(),
                                *asked.table,
                                compared_names(request, asked.folder->schema(), is_relation))),
        is_plain_(asked.derived.empty() && !compared_.is_other() && !formulas_.has_own_columns()) {}

  // To filter, sort and group by.
  const Table& compared() const { return compared_.table(); }
  // Whether they are those of the rows' own table, which keeps answers.
  bool is_plain() const { return is_plain_; }
  // To show these rows.
  const Table& shown(const std::vector<Field>& fields, const std::vector<std::uint32_t>& rows) {
    std::vector<std::size_t> columns;
    for (const Field& field : fields)
      if (field.source == Field::Source::column) columns.push_back(field.column);
    formulas_.fill_for(columns, rows);
    return formulas_.table();
  }

 private:
  template <typename Request>
  static const Table& filled(FormulaTable& formulas, const Request& request, const Schema& schema) {
    formulas.fill(compared_columns(compared_names(request, schema, is_formula), schema));
    return formulas.table();
  }

  DerivedTable with_derived_;
  FormulaTable formulas_;
  ComparedTable compared_;
  bool is_plain_;
};

// Nothing asked for means the database's own columns, not those that were derived for a filter.
QueryRequest with_own_columns(QueryRequest request, const Schema& schema) {
  const View* view = schema.find_view(request.view);
  if (request.select.empty() && (view == nullptr || view->columns.empty())) {
    request.select = schema.column_ids();
  }
  return request;
}

std::unordered_set<std::string_view> ids_of(const DerivedColumns& derived) {
  std::unordered_set<std::string_view> ids;
  for (const DerivedColumn& column : derived.columns())
    ids.insert(column.column.id);
  return ids;
}

// What related rows add to a row by itself.
void add_derived(const Schema& schema, const DerivedColumns& derived, Row& row) {
  Map computed;
  for (const DerivedColumn& column : derived.columns()) {
    const Column& relation = schema.columns[column.relation];
    const Value* named = find_member(row.fields, relation.id);
    const Value* own = column.is_own ? column.find_own(row.id) : nullptr;
    Value value = column.is_own ? (own != nullptr ? *own : column.of_none)
                                : column.value_for(relation, named != nullptr ? *named : Value());
    if (!value.is_null()) computed.push_back({column.column.id, std::move(value)});
  }
  const auto ids = ids_of(derived);
  std::erase_if(row.fields, [&](const Member& field) { return ids.contains(field.key); });
  std::ranges::move(computed, std::back_inserter(row.fields));
}

// A row as its file and its related rows have it.
class FileRow : public FormulaRow {
 public:
  FileRow(const Schema& schema, const RowFile& file, const Row& row)
      : schema_(schema), file_(file), row_(row) {}
  Value field(std::size_t column) const override {
    const Value* found = find_member(row_.fields, schema_.columns[column].id);
    return found == nullptr ? Value() : *found;
  }
  std::string path() const override { return file_.path; }
  expression::FilePointer file() const override { return file_by_name(file_.path, file_.key); }

 private:
  const Schema& schema_;
  const RowFile& file_;
  const Row& row_;
};

void add_formulas(const FileSystem& files,
                  const DatabaseFolder& folder,
                  const RowFile& file,
                  Row& row) {
  const FormulaColumns& formulas = folder.formulas();
  if (formulas.empty()) return;
  const Schema& schema = folder.schema();
  std::erase_if(row.fields, [&](const Member& field) {
    const auto place = schema.index_of(field.key);
    return place && formulas.find(*place) != nullptr;
  });
  FormulaFiles of_question(files);
  const FileRow of_row(schema, file, row);
  std::vector<const FormulaColumn*> columns;
  for (const FormulaColumn& formula : formulas.all())
    columns.push_back(&formula);
  auto found =
      of_question.compute(formulas, columns, of_row, formulas.environment(question_time()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!found[i].value.is_null())
      row.fields.push_back({schema.columns[columns[i]->column].id, std::move(found[i].value)});
}

void drop_nulls(const std::unordered_set<std::string_view>& ids, Row& row) {
  if (ids.empty()) return;
  std::erase_if(row.fields, [&](const Member& field) {
    return field.value.is_null() && ids.contains(field.key);
  });
}

// In the order of the options; what is not an option after them, and what has no value first.
void sort_groups(std::vector<Map>& groups, const Column& column) {
  const auto place = [&](const Map& group) {
    const Value& value = group.front().value;
    if (!value.is_text()) return std::ptrdiff_t{-1};
    return std::find(column.options.begin(), column.options.end(), value.text()) -
           column.options.begin();
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const Map& a, const Map& b) {
    return place(a) < place(b);
  });
}

// What a view shows its rows under; a calendar the days of its dates. Empty if nothing.
std::string grouped_by(const View* view) {
  if (view == nullptr) return "";
  if (!view->group_by.empty()) return view->group_by;
  return view->type == "calendar" && !view->date_column.empty() ? view->date_column + ":day" : "";
}

Result<std::vector<Map>> groups_of_view(const Table& table,
                                        const Schema& schema,
                                        const std::string& column,
                                        const Filter& filter) {
  AggregateArguments arguments;
  arguments.group_by = column;
  auto aggregate = parse_aggregate(arguments, schema, local_clock());
  if (!aggregate) return std::vector<Map>{};  // a view's column that has gone groups nothing
  aggregate->filter = filter;
  auto groups = run_aggregate(table, *aggregate);
  if (!groups) return groups.error();
  std::vector<Map> maps;
  for (Value& group : groups->rows)
    maps.push_back(std::move(group.map()));
  if (const Column* declared = schema.find(column)) sort_groups(maps, *declared);
  return maps;
}

}  // namespace

std::vector<Error> Database::check(const QueryRequest& request) const {
  const auto current = folder();
  if (!current) return {current.error()};
  const auto derived = derive(**current, followed_names(request, **current), 0);
  if (!derived) return {derived.error()};
  QueryPlan plan;
  return plan_query(request, derived->schema(), local_clock(), plan);
}

Result<QueryAnswer> Database::query(const QueryRequest& request) const {
  return query_at(request, 0);
}

Result<QueryAnswer> Database::query(const QueryRequest& request, RowSink& rows) const {
  return query_into(rows, request, 0);
}

Result<QueryAnswer> Database::query_at(const QueryRequest& request, int depth) const {
  CollectedRows rows;
  auto answer = query_into(rows, request, depth);
  if (answer) answer->rows = std::move(rows).rows();
  return answer;
}

struct Database::Asked {
  std::shared_ptr<const DatabaseFolder> folder;
  const DerivedColumns& derived;
  TableLease<RowTable> table;
  expression::Date now;
};

// Other databases are asked before this one is locked: they may be asking this one. Nearly always
// nobody is asked, and one look at the folder is enough.
template <typename Answer, typename Names, typename Plan, typename Work>
Result<Answer> Database::with_derived(int depth,
                                      const Names& names,
                                      const Plan& plan,
                                      const Work& work) const try {
  const OneQuestion question;
  std::shared_ptr<const DatabaseFolder> asked_for;
  for (;;) {
    std::optional<DerivedColumns> derived;
    if (asked_for) {
      auto made = derive(*asked_for, names(*asked_for), depth);
      if (!made) return made.error();
      derived.emplace(*std::move(made));
    }
    std::optional<ForgettingLock<RowCache>> guard(std::in_place, *cache_);
    const auto folder = cache_->folder();
    if (!folder) return folder.error();
    const Schema& schema = (*folder)->schema();
    if (!asked_for && names(**folder).empty()) derived.emplace(schema);
    const bool is_ready =
        derived && (!asked_for || asked_for->schema_etag() == (*folder)->schema_etag());
    if (!is_ready) {
      asked_for = *folder;
      continue;
    }
    const auto planned = plan(*folder, *derived);
    if (!planned) return planned.error();
    const expression::Date now = question_time();
    auto table = cache_->lease(now);
    if (!table) return table.error();
    guard.reset();
    return work(Asked{*folder, *derived, *std::move(table), now}, *planned);
  }
} catch (const BudgetSpent& spent) {
  return spent.error();
}

Result<QueryAnswer> Database::query_into(RowSink& rows,
                                         const QueryRequest& request,
                                         int depth) const {
  const auto names = [&](const DatabaseFolder& folder) { return followed_names(request, folder); };
  const auto plan = [&](const auto& folder, const DerivedColumns& derived) {
    return derived.empty()
               ? plans_->of(request, folder)
               : make_plan(with_own_columns(request, folder->schema()), derived.schema());
  };
  const auto work = [&](const Asked& asked, const std::shared_ptr<const QueryPlan>& planned) {
    return answer(rows, request, depth, asked, *planned);
  };
  return with_derived<QueryAnswer>(depth, names, plan, work);
}

Result<std::unique_ptr<Snapshot>> Database::snapshot() const {
  const ForgettingLock guard(*cache_);
  const auto folder = cache_->folder();
  if (!folder) return folder.error();
  auto table = cache_->lease(question_time());
  if (!table) return table.error();
  return std::make_unique<Snapshot>(*this, *folder, *std::move(table));
}

void Database::show_rows(RowSink& rows,
                         const Asked& asked,
                         const QueryPlan& plan,
                         const Table& values,
                         const std::vector<std::uint32_t>& matches,
                         int depth) const {
  const RowTable& table = *asked.table;
  const auto derived_ids = ids_of(asked.derived);
  std::uint32_t shown_rows = 0;
  for (const std::uint32_t row : matches) {
    if (rows.is_full()) break;
    Budget::look_rarely(shown_rows);
    const ListedRow listed(table, values, row, plan.shown);
    const bool has_issues = depth == 0 && table.facts(row).broken > 0;
    if (!plan.wants_body && !has_issues && asked.derived.empty()) {
      rows.take(listed);
      continue;
    }
    Budget::look();
    Row shown = listed.copy();
    if (plan.wants_body) add_body(files_, *asked.folder, shown);
    if (has_issues) add_issues(files_, *asked.folder, shown);
    drop_nulls(derived_ids, shown);
    rows.take(std::move(shown));
  }
}

Result<QueryAnswer> Database::answer(RowSink& rows,
                                     const QueryRequest& request,
                                     int depth,
                                     const Asked& asked,
                                     const QueryPlan& plan) const {
  const DerivedColumns& derived = asked.derived;
  const RowTable& table = *asked.table;
  const Schema& schema = asked.folder->schema();
  const View* view = schema.find_view(request.view);
  AskedRows asked_rows(files_, asked, request);
  const Table& compared = asked_rows.compared();
  const auto matches =
      asked_rows.is_plain() ? table.answer(plan.query) : run_query(compared, plan.query);
  if (!matches) return matches.error();

  QueryAnswer answer;
  answer.total = static_cast<std::int64_t>(matches->total);
  answer.columns = names_of(plan.shown);
  rows.begin(answer.columns, matches->rows.size());
  show_rows(rows, asked, plan, asked_rows.shown(plan.shown, matches->rows), matches->rows, depth);
  answer.issues = table.unreadable();
  answer.unreadable = static_cast<std::int64_t>(table.unreadable_count());
  answer.hint = matches->notice;
  if (matches->total > 0 && matches->rows.empty()) add_broken(table, id_, answer.hint);
  if (const std::string column = grouped_by(view); !column.empty()) {
    auto groups = groups_of_view(compared, derived.schema(), column, plan.query.filter);
    if (!groups) return groups.error();
    answer.groups = *std::move(groups);
  }
  return answer;
}

Result<AggregateAnswer> Database::aggregate(const AggregateRequest& request) const {
  AggregateArguments arguments{
      request.filters, Value::list_of(request.group_by), request.metrics, request.sort, Value()};
  if (request.limit) arguments.limit = *request.limit;
  const auto names = [&](const DatabaseFolder& folder) {
    return followed_names(arguments, folder);
  };
  const auto plan = [&](const auto& /*folder*/, const DerivedColumns& derived) {
    return parse_aggregate(arguments, derived.schema(), local_clock());
  };
  const auto work = [&](const Asked& asked, const Aggregate& aggregate) -> Result<AggregateAnswer> {
    const AskedRows rows(files_, asked, arguments);
    auto groups = run_aggregate(rows.compared(), aggregate);
    if (!groups) return groups.error();
    AggregateAnswer answer;
    answer.total = static_cast<std::int64_t>(groups->matching);
    for (Value& group : groups->rows)
      answer.groups.push_back(std::move(group.map()));
    answer.unreadable = static_cast<std::int64_t>(asked.table->unreadable_count());
    answer.notice = std::move(groups->notice);
    return answer;
  };
  return with_derived<AggregateAnswer>(0, names, plan, work);
}

// Rollups are no part of a file; a row by itself has them too.
Result<Row> Database::get(std::string_view row_id) const {
  const auto current = folder();
  if (!current) return current.error();
  const auto file = read_row_file(files_, **current, row_id);
  if (!file) return file.error();
  Row row = describe(**current, *file);
  const Schema& schema = (*current)->schema();
  const auto derived = derive(**current, schema.column_ids(), 0);
  if (derived && !derived->empty()) add_derived(schema, *derived, row);
  add_formulas(files_, **current, *file, row);
  return row;
}

}  // namespace notesdb
