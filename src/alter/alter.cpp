#include "alter/alter.h"

#include <algorithm>
#include <map>
#include <utility>

#include "alter/conversion.h"
#include "alter/schema_set.h"
#include "core/text.h"
#include "database/relation_targets.h"
#include "files/etag.h"
#include "index/row_files.h"
#include "note/row_codec.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

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
  for (const RowBytes& row : rows_) {
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
