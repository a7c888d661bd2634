#include "database/batch.h"

#include <map>
#include <memory>
#include <utility>

#include "database/diff.h"
#include "files/pending_files.h"
#include "files/untold_notes.h"

namespace notesdb {

namespace {

constexpr int most_attempts = 100;
constexpr std::string_view conflict_word = "CONFLICT: ";

// The error of one operation among many.
Error numbered(Error error, std::size_t number) {
  const std::string place = "operations[" + std::to_string(number) + "]: ";
  const bool is_conflict = error.message.starts_with(conflict_word);
  error.message.insert(is_conflict ? conflict_word.size() : 0, place);
  return std::move(error).with("operation", static_cast<std::int64_t>(number));
}

// The batch as it would go, from the files as they are now.
class Rehearsal {
 public:
  explicit Rehearsal(Workspace& workspace)
      : Rehearsal(workspace, std::make_unique<PendingFiles>(workspace.files())) {}

  Result<BatchAnswer> run(const std::vector<BatchOperation>& operations) {
    each(operations, [&](const BatchOperation& operation) { return compare_etag(operation); });
    if (!errors_.empty()) return join(errors_);
    each(operations, [&](const BatchOperation& operation) { return carry_out(operation); });
    if (!errors_.empty()) return join(errors_);
    return std::move(answer_);
  }

  std::vector<Step> steps() const { return pending_.steps(); }
  // Whether other rows have a say, so that the batch holds under the lock only.
  bool wants_lock() const { return pending_.was_lock_wanted(); }

  std::string diff() const {
    std::string text;
    for (const PendingFiles::Difference& file : pending_.differences())
      text += unified_diff(file.path, file.before, file.after);
    return text;
  }

 private:
  Rehearsal(Workspace& workspace, std::unique_ptr<PendingFiles> pending)
      : pending_(*pending), workspace_(std::move(pending), workspace.settings()) {
    workspace_.follow_pending(pending_.changes());
  }

  template <typename Deed>
  void each(const std::vector<BatchOperation>& operations, Deed deed) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (Result<void> done = deed(operations[i]); !done)
        errors_.push_back(numbered(done.error(), i));
    }
  }

  const Result<Database*>& database_of(const std::string& id) {
    const auto known = databases_.find(id);
    return known != databases_.end() ? known->second
                                     : databases_.emplace(id, workspace_.get(id)).first->second;
  }

  // A change of no field says what an etag is worth, and how to go on.
  Result<void> compare_etag(const BatchOperation& operation) {
    const Result<Database*>& database = database_of(operation.database_id);
    if (!database) return database.error();
    if (operation.action == BatchAction::insert || !operation.change.etag) return {};
    const RowChange look{.row_id = operation.change.row_id, .etag = operation.change.etag};
    auto seen = (*database)->update(look, WriteMode::dry_run);
    if (!seen) return seen.error();
    return {};
  }

  Result<void> carry_out(const BatchOperation& operation) {
    const Result<Database*>& database = database_of(operation.database_id);
    if (!database) return database.error();
    auto answer = write(**database, operation);
    if (!answer) return answer.error();
    BatchAnswer::Outcome outcome{answer->row.id, answer->row.etag, answer->changed};
    if (operation.action == BatchAction::remove) outcome.etag.reset();
    if (outcome.changed) ++answer_.applied;
    answer_.outcomes.push_back(std::move(outcome));
    return {};
  }

  static Result<WriteAnswer> write(Database& database, const BatchOperation& operation) {
    if (operation.action == BatchAction::insert) return database.insert(operation.row);
    if (operation.action == BatchAction::remove)
      return database.remove(operation.change.row_id, std::nullopt);
    RowChange change = operation.change;
    change.etag.reset();  // compared already; an operation before this one may have changed the row
    return database.update(change);
  }

  PendingFiles& pending_;
  Workspace workspace_;
  std::map<std::string, Result<Database*>> databases_;
  std::vector<Error> errors_;
  BatchAnswer answer_;
};

Result<void> check_count(std::int64_t applied, std::optional<std::int64_t> expected) {
  if (!expected || *expected == applied) return {};
  return Error{ErrorCode::conflict,
               "CONFLICT: the batch would change " + std::to_string(applied) +
                   " rows and expect_count is " + std::to_string(*expected) +
                   "; nothing was changed",
               Map{}}
      .with("applied", applied);
}

bool was_overtaken(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists;
}

// Writes what was rehearsed, all of it or nothing.
Result<BatchAnswer> write_rehearsed(Workspace& workspace,
                                    const Rehearsal& rehearsal,
                                    BatchAnswer answer) {
  const std::vector<Step> steps = rehearsal.steps();
  if (steps.empty()) return answer;
  const auto written = workspace.files().apply(steps);
  if (!written) return written.error();
  answer.change = written->change;
  answer.notes = written->notes;
  answer.durable = written->durable;
  return answer;
}

// Under the lock, so that new ids and unique values hold until they are written.
Result<BatchAnswer> write_batch(Workspace& workspace,
                                const std::vector<BatchOperation>& operations,
                                std::optional<std::int64_t> expected,
                                UntoldNotes& untold) {
  for (int attempt = 0;; ++attempt) {
    const auto lock = workspace.files().lock();
    if (!lock) return lock.error();
    Rehearsal rehearsal(workspace);
    auto answer = rehearsal.run(operations);
    if (!answer) return answer;
    if (auto counted = check_count(answer->applied, expected); !counted) return counted.error();
    auto written = write_rehearsed(workspace, rehearsal, *std::move(answer));
    if (written || attempt >= most_attempts || !was_overtaken(written.error())) return written;
    untold.keep(written.error());
  }
}

}  // namespace

Result<BatchAnswer> run_batch(Workspace& workspace,
                              const std::vector<BatchOperation>& operations,
                              std::optional<std::int64_t> expected,
                              WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (operations.size() > most_batch_operations) {
    return Error{ErrorCode::limit_exceeded,
                 "a batch holds at most " + std::to_string(most_batch_operations) +
                     " operations, this one has " + std::to_string(operations.size()),
                 Map{}};
  }
  // Before the lock, so that a refusal leaves no trace.
  Rehearsal rehearsal(workspace);
  auto answer = rehearsal.run(operations);
  if (!answer) return answer;
  if (auto counted = check_count(answer->applied, expected); !counted) return counted.error();
  if (mode == WriteMode::dry_run) {
    answer->diff = rehearsal.diff();
    return answer;
  }
  if (answer->applied == 0) return answer;
  return tell_all([&](UntoldNotes& untold) -> Result<BatchAnswer> {
    if (!rehearsal.wants_lock()) {
      auto written = write_rehearsed(workspace, rehearsal, *std::move(answer));
      if (written || !was_overtaken(written.error())) return written;
      untold.keep(written.error());
    }
    return write_batch(workspace, operations, expected, untold);
  });
}

}  // namespace notesdb
