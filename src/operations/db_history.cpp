#include <algorithm>

#include "core/date.h"
#include "database/diff.h"
#include "database/past.h"
#include "git/row_difference.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/row_list.h"

namespace notesdb {

namespace {

// More rows than these are not named one by one, and their fields are not compared.
constexpr std::size_t max_rows_named = 5;

// What the newest changes did, in answers.
class HistoryAnswer {
 public:
  HistoryAnswer(const FileSystem& files, bool is_of_row, bool wants_diffs)
      : texts_(files), paths_(files), is_of_row_(is_of_row), wants_diffs_(wants_diffs) {}

  void add(const PastEntry& entry) {
    Value value = Map{{"change", entry.change.id},
                      {"when", format_utc(entry.change.time_us / 1'000'000)},
                      {"what", entry.what}};
    List rows;
    std::size_t more = 0;
    for (const JournalEntry& step : entry.change.steps) {
      const std::string row = row_of(step);
      if (row.empty()) continue;
      if (rows.size() < max_rows_named)
        rows.push_back(row);
      else
        ++more;
    }
    if (!is_of_row_) value.set("rows", std::move(rows));
    if (more > 0) value.set("more_rows", static_cast<std::int64_t>(more));
    if (more == 0) add_fields(entry.change, value);
    if (entry.undone) value.set("undone", true);
    if (wants_diffs_) add_diff(entry.change, value);
    for (auto step = entry.change.steps.rbegin(); step != entry.change.steps.rend(); ++step)
      texts_.pass(*step);
    changes_.push_back(std::move(value));
  }

  std::size_t size() const { return changes_.size(); }

  Value value() && {
    Value value = Map{{"changes", std::move(changes_)}};
    if (wants_diffs_) value.set("diff", diff_);
    return value;
  }

 private:
  // database/row; empty for what is not a row.
  std::string row_of(const JournalEntry& step) {
    const std::string& path = step.kind == StepKind::rename ? step.new_path : step.path;
    if (step.kind == StepKind::create_folder || step.kind == StepKind::remove_folder) return "";
    const std::optional<RowPath> found = paths_.find(path);
    if (found) return found->database_id + "/" + found->row_id;
    return is_of_row_ ? path : "";
  }

  std::vector<FieldDifference> fields_of(const JournalEntry& step) {
    if (step.kind != StepKind::replace && !is_of_row_) return {};
    const PastTexts::Texts texts = texts_.read(step);
    const std::optional<RowPath> row = paths_.find(step.path);
    if (!texts.is_known || !row) return {};
    return compare_rows(
        row->folder->schema(), {texts.before, texts.after}, note_format_of(step.path));
  }

  // Of one row with their values, of several their names, each once.
  void add_fields(const PastChange& change, Value& value) {
    List fields;
    for (const JournalEntry& step : change.steps) {
      if (row_of(step).empty()) continue;
      for (FieldDifference& field : fields_of(step)) {
        if (!is_of_row_) {
          if (std::ranges::find(fields, Value(field.field)) == fields.end())
            fields.emplace_back(std::move(field.field));
          continue;
        }
        Value difference = Map{{"field", std::move(field.field)}};
        if (field.from) difference.set("from", *std::move(field.from));
        if (field.to) difference.set("to", *std::move(field.to));
        fields.push_back(std::move(difference));
      }
    }
    if (!fields.empty()) value.set("fields", std::move(fields));
  }

  void add_diff(const PastChange& change, Value& value) {
    std::string diff;
    for (const JournalEntry& step : change.steps) {
      const PastTexts::Texts texts = texts_.read(step);
      if (texts.is_known) diff += unified_diff(step.path, texts.before, texts.after);
    }
    diff_ += diff;
    if (!diff.empty()) value.set("diff", std::move(diff));
  }

  PastTexts texts_;
  RowPaths paths_;
  bool is_of_row_;
  bool wants_diffs_;
  List changes_;
  std::string diff_;
};

Result<Value> history(const Call& call) {
  PastScope scope;
  if (call.database != nullptr) scope.database_id = call.database->id();
  scope.row_id = call.arguments.text("row_id");
  if (call.database == nullptr && !scope.row_id.empty()) {
    return Error{ErrorCode::invalid_argument, "row_id needs database_id", Map{}};
  }
  const auto limit = static_cast<std::size_t>(*call.arguments.integer("limit"));
  HistoryAnswer answer(
      call.context.workspace.files(), !scope.row_id.empty(), call.arguments.is_set("diffs"));
  const auto read = read_past(call.context.workspace, scope, [&](const PastEntry& entry) {
    answer.add(entry);
    return answer.size() < limit;
  });
  if (!read) return read.error();
  Value value = std::move(answer).value();
  Value* changes = value.find("changes");
  const std::size_t all = changes->list().size();
  changes->list().resize(count_within(changes->list(), call.context.max_bytes()));
  if (changes->list().size() < all) {
    value.set("truncated", true);
    add_notice(value,
               "cut at " + byte_cap(call.context) +
                   " (max_bytes); database_id and row_id narrow it, a smaller limit shows fewer");
  }
  return value;
}

}  // namespace

const Operation& db_history() {
  Argument database = database_argument();
  database.required = Doors::none;
  static const Operation operation{
      .name = "db_history",
      .command = "history",
      .title = "List changes",
      .description =
          "Changes made through notesdb, newest first: what, when, which rows and fields; of one "
          "row with old and new values. db_undo takes one back.",
      .effect = Effect::reads,
      .arguments = {std::move(database),
                    {.name = "row_id", .kind = ArgumentKind::row, .positional = true},
                    {.name = "limit",
                     .kind = ArgumentKind::integer,
                     .fallback = 20,
                     .least = 1,
                     .flag_help = "how many changes; default 20"},
                    {.name = "diffs",
                     .kind = ArgumentKind::boolean,
                     .description = "show what each change did",
                     .offered = Doors::commands}},
      .result = {{"changes", ResultKind::maps}, {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "changes",
      .run = history};
  return operation;
}

}  // namespace notesdb
