#include "database/write_rows.h"

#include <memory>
#include <utility>

#include "note/note.h"

namespace notesdb {
namespace {

constexpr std::string_view conflict_word = "CONFLICT: ";
constexpr std::int64_t all_rows = std::int64_t{1} << 53;

Error numbered(Error error, std::size_t number) {
  const std::string place = "operations[" + std::to_string(number) + "]: ";
  const bool is_conflict = error.message.starts_with(conflict_word);
  error.message.insert(is_conflict ? conflict_word.size() : 0, place);
  return std::move(error).with("operation", static_cast<std::int64_t>(number));
}

// The file of the row as the plan leaves it.
Result<RowFile> file_of(const RowPlan& rows) {
  const RowOutcome& outcome = rows.outcomes().front();
  if (outcome.updated) return *outcome.updated;
  auto file = rows.files().read(outcome.path);
  if (!file) return file.error();
  auto note = Note::parse(std::move(file->bytes), note_format_of(outcome.path));
  if (!note) return note.error();
  return RowFile{outcome.path, outcome.row_id, *std::move(note), outcome.etag, file->key};
}

// The row as the plan leaves it; `mtime_ns` of its file is 0 while that is not written.
Result<Row> row_of(const RowPlan& rows, const RowOperation& operation, std::int64_t mtime_ns) {
  const RowOutcome& outcome = rows.outcomes().front();
  if (outcome.removed) return *outcome.removed;
  auto file = file_of(rows);
  if (!file) return file.error();
  file->key.mtime_ns = mtime_ns != 0 ? mtime_ns : outcome.mtime_ns;
  const DatabaseFolder& folder = *rows.folder(operation.database_id);
  const Database* const database = rows.reader(operation.database_id);
  if (operation.action != RowAction::insert && database != nullptr)
    return database->describe(folder, *file);
  Row row = to_row(folder, *file);
  if (mtime_ns == 0) row.modified.clear();
  return row;
}

// The rows that match, one operation each.
Result<void> spread(Workspace& workspace,
                    const BatchOperation& operation,
                    std::vector<RowOperation>& spread) {
  const auto database = workspace.get(operation.database_id);
  if (!database) return database.error();
  const auto found =
      (*database)->query({.filters = *operation.filters, .select = {"_id"}, .limit = all_rows});
  if (!found) return found.error();
  for (const Row& row : found->rows) {
    spread.push_back(operation);
    spread.back().change.row_id = row.id;
  }
  return {};
}

class Batch {
 public:
  Batch(Workspace& workspace,
        const std::vector<BatchOperation>& operations,
        std::optional<std::int64_t> expected)
      : workspace_(workspace), operations_(operations), expected_(expected) {}

  Result<Plan> plan(Stage stage) {
    std::vector<RowOperation> each;
    std::vector<std::size_t> numbers;
    std::vector<Error> errors;
    std::int64_t matched = 0;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!operations_[i].filters) {
        each.push_back(operations_[i]);
      } else {
        const std::size_t before = each.size();
        if (auto done = spread(workspace_, operations_[i], each); !done)
          errors.push_back(numbered(done.error(), i));
        matched += static_cast<std::int64_t>(each.size() - before);
      }
      numbers.resize(each.size(), i);
    }
    RowPlan rows(workspace_, stage);
    rows.run(each);
    for (std::size_t i = 0; i < each.size(); ++i)
      if (const auto refusal = rows.outcomes()[i].refusal())
        errors.push_back(numbered(*refusal, numbers[i]));
    if (!errors.empty()) return join(errors);
    const bool is_preview = stage == Stage::preview;
    if (auto fine = check_count(rows.changed_count(), is_preview ? 0 : matched); !fine)
      return fine.error();
    take_outcomes(each, rows);
    auto plan = rows.finish();
    if (plan) plan->what = "batch of " + std::to_string(each.size()) + " operations";
    return plan;
  }

  BatchAnswer answer;

 private:
  Result<void> check_count(std::int64_t applied, std::int64_t matched) const {
    if (expected_ && *expected_ != applied) {
      Error error = unexpected_count("batch would change", applied, *expected_);
      error.data = Map{{"applied", applied}};
      return error;
    }
    if (expected_ || matched <= max_uncounted) return {};
    return Error{ErrorCode::conflict,
                 "CONFLICT: the filters match " + std::to_string(matched) +
                     " rows; to change more than " + std::to_string(max_uncounted) +
                     " rows by filters pass expect_count " + std::to_string(applied) +
                     " (--expect-count " + std::to_string(applied) + "); nothing was changed",
                 Map{}}
        .with("expect_count", applied);
  }

  void take_outcomes(const std::vector<RowOperation>& each, const RowPlan& rows) {
    answer.outcomes.clear();
    answer.applied = rows.changed_count();
    for (std::size_t i = 0; i < each.size(); ++i) {
      const RowOutcome& done = rows.outcomes()[i];
      answer.outcomes.push_back(
          {each[i].action, each[i].database_id, done.row_id, done.etag, done.changed});
      if (each[i].action == RowAction::remove) answer.outcomes.back().etag.reset();
    }
  }

  Workspace& workspace_;
  const std::vector<BatchOperation>& operations_;
  std::optional<std::int64_t> expected_;
};

}  // namespace

Result<WriteAnswer> write_row(Workspace& workspace, const RowOperation& operation, WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  WriteAnswer answer;
  const std::vector<RowOperation> operations{operation};
  std::unique_ptr<RowPlan> rows;
  std::vector<Step> steps;
  const auto make = [&](Stage stage) -> Result<Plan> {
    rows = std::make_unique<RowPlan>(workspace, stage);
    rows->run(operations);
    if (const auto refusal = rows->outcomes().front().refusal()) return *refusal;
    auto plan = rows->finish();
    if (plan) steps = plan->steps;
    return plan;
  };
  const auto written = commit(workspace.files(), mode, make, answer);
  if (!written) return written.error();
  const RowOutcome& outcome = rows->outcomes().front();
  std::int64_t mtime_ns = 0;
  for (std::size_t i = 0; i < written->mtimes_ns.size(); ++i) {
    const std::string& path = steps[i].kind == StepKind::rename ? steps[i].new_path : steps[i].path;
    if (path == outcome.path) mtime_ns = written->mtimes_ns[i];
  }
  auto row = row_of(*rows, operation, mtime_ns);
  if (!row) return row.error();
  answer.row = *std::move(row);
  answer.changed = outcome.changed;
  answer.references = outcome.references;
  return answer;
}

Result<WriteAnswer> insert_row(Workspace& workspace,
                               std::string_view database_id,
                               NewRow row,
                               WriteMode mode) {
  return write_row(
      workspace,
      {.action = RowAction::insert, .database_id = std::string(database_id), .row = std::move(row)},
      mode);
}

Result<WriteAnswer> update_row(Workspace& workspace,
                               std::string_view database_id,
                               RowChange change,
                               WriteMode mode) {
  return write_row(workspace,
                   {.action = RowAction::update,
                    .database_id = std::string(database_id),
                    .change = std::move(change)},
                   mode);
}

Result<WriteAnswer> remove_row(Workspace& workspace,
                               std::string_view database_id,
                               std::string_view row_id,
                               std::optional<Etag> etag,
                               WriteMode mode) {
  return write_row(workspace,
                   {.action = RowAction::remove,
                    .database_id = std::string(database_id),
                    .change = {.row_id = std::string(row_id), .etag = etag}},
                   mode);
}

Result<BatchAnswer> run_batch(Workspace& workspace,
                              const std::vector<BatchOperation>& operations,
                              std::optional<std::int64_t> expected,
                              WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (operations.size() > max_batch_operations) {
    return Error{ErrorCode::limit_exceeded,
                 "a batch holds at most " + std::to_string(max_batch_operations) +
                     " operations, this one has " + std::to_string(operations.size()),
                 Map{}};
  }
  Batch batch(workspace, operations, expected);
  const auto written = commit(
      workspace.files(), mode, [&](Stage stage) { return batch.plan(stage); }, batch.answer);
  if (!written) return written.error();
  return std::move(batch.answer);
}

}  // namespace notesdb
