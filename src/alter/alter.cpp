#include "alter/alter.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "alter/conversion.h"
#include "alter/schema_set.h"
#include "core/budget.h"
#include "core/progress.h"
#include "core/schema.h"
#include "core/text.h"
#include "database/relation_targets.h"
#include "database/validate.h"
#include "files/etag.h"
#include "index/row_files.h"
#include "note/note.h"
#include "query/comparison.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

// RowMigration: what changes of a schema mean for its rows, done to one note after the other.
//
// A row changes by the lines of the fields in question. A value that a step cannot convert without
// a loss is an issue with its place; OnInvalid says what becomes of those.

// The changes of one schema as they concern its rows.
class RowMigration {
 public:
  // To be told each change with the schemas before and after it.
  void add(const SchemaChange& change, const Schema& before, const Schema& after);
  // Whether rows have a say at all.
  bool empty() const { return steps_.empty() && judged_.empty(); }

 private:
  friend class RowRewriter;
  enum class Kind { rename, drop, convert, option, fill };
  struct Step {
    Kind kind;
    Column before;
    Column after;
    std::string option;
    std::optional<std::string> replacement;
    Value fill;
  };
  void rename_judged(const std::string& column, const std::string& to);

  std::vector<Step> steps_;
  // The rules that rows may break now and did not break before, by column.
  std::map<std::string, std::set<std::string, std::less<>>> judged_;
};

class RowRewriter {
 public:
  // All three outlive it; `schema` is the one after all changes.
  RowRewriter(const RowMigration& migration,
              const Schema& schema,
              const RowExists& exists,
              OnInvalid on_invalid)
      : migration_(migration),
        schema_(schema),
        rules_(schema),
        exists_(exists),
        on_invalid_(on_invalid) {}

  // Takes all steps on the note of a row; it may come out unchanged.
  void rewrite(const std::string& path, Note& note);
  // When all rows are through: with the ones that share what is to be unique.
  std::vector<Issue> take_invalid_values();

 private:
  struct Holder {
    std::string value;
    std::string path;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  void rename(const RowMigration::Step& step, Note& note);
  void convert(const RowMigration::Step& step, Note& note);
  void replace_option(const RowMigration::Step& step, Note& note);
  void fill(const RowMigration::Step& step, Note& note);
  void set(const Column& column, const Value& value, Note& note);
  void remove(const std::string& key, Note& note);
  void judge(const std::string& column,
             const std::set<std::string, std::less<>>& rules,
             Note& note);
  // Notes a value that cannot be converted; whether the field may be cleared instead.
  bool report(const Note& note, const std::string& key, std::string rule, std::string message);

  const RowMigration& migration_;
  const Schema& schema_;
  FieldRules rules_;
  const RowExists& exists_;
  OnInvalid on_invalid_;
  std::string path_;
  std::vector<Issue> found_;
  std::map<std::string, std::map<Rank, std::vector<Holder>>> unique_;
};

// The rules that a change of these keys may break.
std::set<std::string, std::less<>> rules_of(const Map& keys) {
  std::set<std::string, std::less<>> rules;
  for (const Member& key : keys) {
    if (key.value.is_null() || key.value == Value(false)) continue;
    if (key.key == "min" || key.key == "max") rules.insert("range");
    if (key.key == "required" || key.key == "unique" || key.key == "pattern") rules.insert(key.key);
  }
  return rules;
}

bool is_nothing(const NoteField* field) {
  return field == nullptr || (field->readable && is_empty(read_untyped(field->node)));
}

void RowMigration::rename_judged(const std::string& column, const std::string& to) {
  auto rules = judged_.extract(column);
  if (rules.empty() || to.empty()) return;
  rules.key() = to;
  judged_.insert(std::move(rules));
}

void RowMigration::add(const SchemaChange& change, const Schema& before, const Schema& after) {
  const Column* old = before.find(change.column);
  const Column* fresh = after.find(change.column);
  Step step{Kind::rename, old != nullptr ? *old : Column(), {}, {}, {}, {}};
  step.after = fresh != nullptr ? *fresh : step.before;
  auto& judged = judged_[change.column];
  switch (change.action) {
    case SchemaAction::rename_column:
      step.after = *after.find(change.to);
      steps_.push_back(step);
      rename_judged(change.column, change.to);
      return;
    case SchemaAction::drop_column:
      step.kind = Kind::drop;
      if (!change.keep_values) steps_.push_back(step);
      judged_.erase(change.column);
      return;
    case SchemaAction::change_type:
      step.kind = Kind::convert;
      steps_.push_back(step);
      judged.insert({"option", "relation", "range", "pattern"});
      if (fresh->unique) judged.insert("unique");
      break;
    case SchemaAction::rename_option:
    case SchemaAction::remove_option:
      step.kind = Kind::option;
      step.option = change.option;
      if (!change.to.empty()) step.replacement = change.to;
      steps_.push_back(step);
      break;
    case SchemaAction::add_column: judged.insert({"type", "option", "relation"}); [[fallthrough]];
    case SchemaAction::set_column:
      judged.merge(rules_of(change.keys));
      if (change.fill) {
        step.kind = Kind::fill;
        step.fill = *change.fill;
        if (fresh->unique) judged.insert("unique");
        steps_.push_back(step);
      }
      break;
    default: break;
  }
  if (judged.empty()) judged_.erase(change.column);
}

bool RowRewriter::report(const Note& note,
                         const std::string& key,
                         std::string rule,
                         std::string message) {
  Issue issue;
  issue.path = path_;
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  issue.field = key;
  if (const NoteField* field = note.find_field(key)) {
    issue.line = field->line;
    issue.column = field->column;
  }
  found_.push_back(std::move(issue));
  return on_invalid_ == OnInvalid::clear;
}

void RowRewriter::set(const Column& column, const Value& value, Note& note) {
  const std::vector<std::string> order = schema_.column_ids();
  auto edit = value.is_null() && note.find_field(column.id) == nullptr
                  ? Result<Edit>(Edit::unchanged)
                  : note.set(column.id, value, {&column, order});
  if (!edit) report(note, column.id, "edit", edit.error().message);
}

void RowRewriter::remove(const std::string& key, Note& note) {
  if (auto edit = note.remove(key); !edit) report(note, key, "edit", edit.error().message);
}

void RowRewriter::rename(const RowMigration::Step& step, Note& note) {
  const std::string& old_id = step.before.id;
  const std::string& new_id = step.after.id;
  if (note.find_field(old_id) == nullptr) return;
  if (note.find_field(new_id) != nullptr) {
    if (!is_nothing(note.find_field(new_id))) {
      report(note, new_id, "key", "the row has a key '" + new_id + "' already");
      return;
    }
    remove(new_id, note);
  }
  if (auto edit = note.rename_key(old_id, new_id); !edit) {
    report(note, old_id, "edit", edit.error().message);
  }
}

void RowRewriter::convert(const RowMigration::Step& step, Note& note) {
  const std::string& key = step.after.id;
  const Node* node = note.find(key);
  if (node == nullptr) return;  // missing; or broken, which it was before
  if (auto value = notesdb::convert(*node, step.before, step.after)) {
    return set(step.after, *value, note);
  }
  const Value value = read_as(step.before, *node).value;
  const bool clears =
      report(note,
             key,
             "type",
             to_display(value) + " does not convert to " + std::string(name_of(step.after.type)));
  if (clears) remove(key, note);
}

void RowRewriter::replace_option(const RowMigration::Step& step, Note& note) {
  const Column& column = step.after;
  const Node* node = note.find(column.id);
  if (node == nullptr) return;
  const Value value = read_as(step.before, *node).value;
  const bool is_list = value.is_list();
  const List before = is_list ? value.list() : List{value};
  const Value option = step.option;
  if (std::ranges::find(before, option) == before.end()) return;
  if (!step.replacement) {
    const bool clears =
        report(note, column.id, "option", "'" + step.option + "' is not an option of " + column.id);
    if (!clears) return;
  }
  List after;
  for (const Value& item : before) {
    if (item != option) {
      after.push_back(item);
    } else if (step.replacement) {
      const Value other = *step.replacement;
      if (std::ranges::find(before, other) == before.end()) after.push_back(other);
    }
  }
  if (is_list) return set(column, Value(std::move(after)), note);
  if (after.empty()) return remove(column.id, note);
  set(column, after.front(), note);
}

void RowRewriter::fill(const RowMigration::Step& step, Note& note) {
  if (!is_nothing(note.find_field(step.after.id))) return;
  const auto value = to_column_value(step.after, step.fill);
  if (value) set(step.after, *value, note);
}

void RowRewriter::judge(const std::string& id,
                        const std::set<std::string, std::less<>>& rules,
                        Note& note) {
  const auto index = schema_.index_of(id);
  const NoteField* field = note.find_field(id);
  if (!index || (field != nullptr && !field->readable)) return;
  const Column& column = schema_.columns[*index];
  std::optional<Value> value;
  if (field != nullptr) {
    Reading reading = read_as(column, field->node);
    if (!reading.fits()) {
      const bool counts = rules.contains("type");
      if (counts && report(note, id, "type", id + ": " + reading.problem)) remove(id, note);
      return;
    }
    value = std::move(reading.value);
  }
  std::vector<Violation> violations = rules_.check(*index, value);
  if (value && column.type == ColumnType::relation) {
    for (Violation& violation : check_relation(column, *value, exists_))
      violations.push_back(std::move(violation));
  }
  for (const Violation& violation : violations) {
    if (!rules.contains(violation.rule)) continue;
    const bool clears = report(note, id, violation.rule, violation.message);
    if (clears && violation.rule != "required") return remove(id, note);
  }
  if (rules.contains("unique") && value && !is_empty(*value)) {
    if (const auto compared = bind_field(id, schema_)) {
      unique_[id][rank_of(*value, *compared)].push_back(
          {to_display(*value), path_, field->line, field->column});
    }
  }
}

void RowRewriter::rewrite(const std::string& path, Note& note) {
  path_ = path;
  for (const RowMigration::Step& step : migration_.steps_) {
    switch (step.kind) {
      case RowMigration::Kind::rename: rename(step, note); break;
      case RowMigration::Kind::drop: remove(step.before.id, note); break;
      case RowMigration::Kind::convert: convert(step, note); break;
      case RowMigration::Kind::option: replace_option(step, note); break;
      case RowMigration::Kind::fill: fill(step, note); break;
    }
  }
  for (const auto& [column, rules] : migration_.judged_)
    judge(column, rules, note);
}

std::vector<Issue> RowRewriter::take_invalid_values() {
  for (const auto& [column, values] : unique_) {
    for (const auto& [rank, holders] : values) {
      for (std::size_t i = 1; i < holders.size(); ++i) {
        Issue issue;
        issue.path = holders[i].path;
        issue.line = holders[i].line;
        issue.column = holders[i].column;
        issue.rule = "unique";
        issue.message = column + " is " + holders[i].value + ", as in " + holders[0].path;
        issue.field = column;
        found_.push_back(std::move(issue));
      }
    }
  }
  unique_.clear();
  return std::move(found_);
}

constexpr std::size_t max_options = 50;
constexpr std::size_t max_named = 5;

struct RowBytes {
  std::string path;
  std::string bytes;
  Etag etag;
  bool is_there = false;
};

// A plan, made from the files as they are.
class Altering {
 public:
  Altering(Workspace& workspace, const AlterRequest& request, Stage stage)
      : workspace_(workspace), files_(workspace.files()), request_(request), plan_(stage) {}

  Result<Plan> plan();
  const AlterAnswer& answer() const { return answer_; }

 private:
  Result<void> check_etag(const SchemaSet& set) const;
  Result<void> change_schemas(SchemaSet& set);
  Result<void> check_fill(const SchemaChange& change, const Schema& schema);
  Result<SchemaChange> with_options(const SchemaChange& change, const Schema& schema);
  Result<void> read_rows(const DatabaseFolder& folder);
  void change_rows(const Schema& schema);

  Workspace& workspace_;
  FileSystem& files_;
  const AlterRequest& request_;
  RowMigration migration_;
  std::vector<RowBytes> rows_;
  bool rows_are_read_ = false;
  Plan plan_;
  AlterAnswer answer_;
};

Result<void> Altering::check_etag(const SchemaSet& set) const {
  const Etag now = set.folder().schema_etag();
  if (!request_.etag || *request_.etag == now) return {};
  return Error{ErrorCode::conflict,
               "CONFLICT: the schema of '" + request_.database_id +
                   "' has changed since it was read; its etag is now " + to_text(now) +
                   ", with which the change can be made again",
               Map{}}
      .with("etag", to_text(now))
      .with("columns", Value::list_of(set.schema().column_ids()));
}

Result<void> Altering::read_rows(const DatabaseFolder& folder) {
  if (rows_are_read_) return {};
  rows_are_read_ = true;
  auto listing = folder.list_rows(files_);
  if (!listing) return listing.error();
  std::vector<const char*> names;
  for (const std::string& path : listing->paths)
    names.push_back(path.c_str());
  rows_.resize(names.size());
  return read_row_files(files_, folder.id(), names, [&](const FileView& file) {
    RowBytes& row = rows_[file.index];
    row.path = folder.full_path(listing->paths[file.index]);
    row.etag = file.etag;
    row.is_there = file.state == ReadState::whole || file.state == ReadState::being_written;
    if (row.is_there) row.bytes = file.bytes;
  });
}

// A column that becomes a select takes the values that rows have for options, most used first.
Result<SchemaChange> Altering::with_options(const SchemaChange& change, const Schema& schema) {
  SchemaChange filled = change;
  const Column* before = schema.find(change.column);
  const Value* type = find_member(change.keys, "type");
  const ColumnType wanted = type == nullptr ? ColumnType::text : parse_column_type(type->text());
  const bool is_told = find_member(change.keys, "options") != nullptr;
  if (change.action != SchemaAction::change_type || !has_options(wanted) || is_told ||
      before == nullptr || !before->options.empty()) {
    return filled;
  }
  std::map<std::string, std::int64_t> counts;
  const auto count = [&](const Value& value) {
    if (!is_empty(value) && value.is_scalar()) {
      ++counts[value.is_text() ? value.text() : to_display(value)];
    }
  };
  Column chosen;
  chosen.type = wanted;
  for (const RowBytes& row : rows_) {
    auto note = Note::parse(row.bytes, note_format_of(row.path));
    const Node* node = note ? note->find(before->id) : nullptr;
    if (node == nullptr) continue;
    const Value value = convert(*node, *before, chosen).value_or(Value());
    if (!value.is_list()) count(value);
    if (value.is_list()) std::ranges::for_each(value.list(), count);
  }
  if (counts.empty() || counts.size() > max_options) {
    return Error{ErrorCode::invalid_argument,
                 "'" + before->id + "' holds " + std::to_string(counts.size()) +
                     " different values; change_type to " + type->text() +
                     " needs 'options', a list of texts"};
  }
  std::vector<std::pair<std::string, std::int64_t>> ordered(counts.begin(), counts.end());
  std::ranges::stable_sort(ordered,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> options;
  for (const auto& [option, uses] : ordered)
    options.push_back(option);
  filled.keys.push_back({"options", Value::list_of(options)});
  return filled;
}

Result<void> Altering::check_fill(const SchemaChange& change, const Schema& schema) {
  if (!change.fill) return {};
  const Map fields{{change.column, *change.fill}};
  RelationTargets targets(files_);
  const auto judged = judge_fields(
      schema, fields, [&](const auto& id, const auto& row) { return targets.has(id, row); });
  const auto refusal = judged.refusal();
  if (!refusal) return {};
  return Error{refusal->code, "fill: " + refusal->message, refusal->data};
}

Result<void> Altering::change_schemas(SchemaSet& set) {
  for (std::size_t i = 0; i < request_.changes.size(); ++i) {
    const Schema before = set.schema();
    if (request_.changes[i].action == SchemaAction::change_type) {
      if (auto read = read_rows(set.folder()); !read) return read;
    }
    auto change = with_options(request_.changes[i], before);
    auto done = change ? set.apply(*change) : Result<void>(change.error());
    if (done) done = check_fill(*change, set.schema());
    if (!done) {
      Error error = done.error();
      error.message.insert(0, "changes[" + std::to_string(i) + "]: ");
      return error;
    }
    migration_.add(*change, before, set.schema());
  }
  if (std::vector<Error> problems = set.new_problems(); !problems.empty()) return join(problems);
  return {};
}

void Altering::change_rows(const Schema& schema) {
  RelationTargets targets(files_);
  const RowExists exists = [&](const auto& id, const auto& row) { return targets.has(id, row); };
  RowRewriter rewriter(migration_, schema, exists, request_.on_invalid);
  Progress::begin(rows_.size(), "changing rows");
  for (const RowBytes& row : rows_) {
    Budget::look();
    Progress::step();
    if (!row.is_there) continue;
    auto note = Note::parse(row.bytes, note_format_of(row.path));
    if (!note) {
      plan_.warnings.push_back(row.path +
                               " cannot be read and stays as it is: " + note.error().message);
      continue;
    }
    rewriter.rewrite(row.path, *note);
    if (note->bytes() == row.bytes) continue;
    ++answer_.rows;
    plan_.replace(row.path, row.etag, row.bytes, note->bytes());
  }
  answer_.invalid_values = rewriter.take_invalid_values();
  std::ranges::stable_sort(answer_.invalid_values, [](const Issue& a, const Issue& b) {
    if (const int order = compare_natural(a.path, b.path); order != 0) return order < 0;
    return a.line < b.line;
  });
}

Result<Plan> Altering::plan() {
  auto set = SchemaSet::read(workspace_, request_.database_id);
  if (!set) return set.error();
  if (auto fine = check_etag(*set); !fine) return fine.error();
  if (auto done = change_schemas(*set); !done) return done.error();
  for (const SchemaSet::Altered& altered : set->altered()) {
    answer_.schemas.push_back(altered.path);
    plan_.replace(altered.path, altered.etag, altered.before, altered.after);
  }
  plan_.warnings = set->losses();
  if (!migration_.empty()) {
    if (auto read = read_rows(set->folder()); !read) return read.error();
    change_rows(set->schema());
  }
  answer_.schema = set->schema();
  answer_.etag = etag_of(set->bytes());
  plan_.needs_lock = true;
  plan_.what = "alteration of " + request_.database_id;
  return std::move(plan_);
}

bool can_be_kept(const Issue& invalid, OnInvalid on_invalid) {
  if (on_invalid == OnInvalid::keep) return true;
  const bool is_cleared = invalid.rule == "type" || invalid.rule == "option" ||
                          invalid.rule == "range" || invalid.rule == "pattern" ||
                          invalid.rule == "relation";
  return on_invalid == OnInvalid::clear && is_cleared;
}

// Values that stand against the plan.
Result<void> check_invalid_values(const AlterAnswer& answer, OnInvalid on_invalid) {
  std::vector<const Issue*> refused;
  for (const Issue& invalid : answer.invalid_values)
    if (!can_be_kept(invalid, on_invalid)) refused.push_back(&invalid);
  if (refused.empty()) return {};
  std::string message = std::to_string(refused.size()) +
                        (refused.size() == 1 ? " value stands" : " values stand") + " against it: ";
  for (std::size_t i = 0; i < std::min(refused.size(), max_named); ++i) {
    const Issue& invalid = *refused[i];
    message += (i == 0 ? "" : "; ") + invalid.path;
    if (invalid.line > 0) message += ":" + std::to_string(invalid.line);
    message += ": " + invalid.message;
  }
  if (refused.size() > max_named) message += "; ...";
  message +=
      ". dry_run lists them; on_invalid 'keep' leaves them as they stand, 'clear' removes "
      "values that do not fit";
  return Error{ErrorCode::invalid_value, std::move(message), Map{}}.with(
      "invalid_values", static_cast<std::int64_t>(refused.size()));
}

// What stands against writing the plan.
Result<void> check_plan(const AlterAnswer& answer, const AlterRequest& request) {
  if (auto fine = check_invalid_values(answer, request.on_invalid); !fine) return fine;
  if (!request.expect_count || *request.expect_count == answer.rows) return {};
  return unexpected_count("change would rewrite", answer.rows, *request.expect_count);
}

}  // namespace

Result<AlterAnswer> alter(Workspace& workspace, const AlterRequest& request, WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  AlterAnswer answer;
  Receipt receipt;
  const auto make = [&](Stage stage) -> Result<Plan> {
    Altering altering(workspace, request, stage);
    auto plan = altering.plan();
    answer = altering.answer();
    if (!plan || mode == WriteMode::dry_run) return plan;
    if (auto fine = check_plan(answer, request); !fine) return fine.error();
    return plan;
  };
  const auto written = commit(workspace.files(), mode, make, receipt);
  if (!written) return written.error();
  static_cast<Receipt&>(answer) = std::move(receipt);
  return answer;
}

}  // namespace notesdb
