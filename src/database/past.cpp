#include "database/past.h"

#include <algorithm>
#include <set>

#include "database/diff.h"
#include "files/names.h"
#include "files/pending_files.h"
#include "index/database_folder.h"

namespace notesdb {

namespace {

constexpr std::string_view undo_word = "undo of ";
constexpr std::string_view redo_word = "redo of ";

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

std::string rows_of(std::size_t count) {
  return grouped(count) + (count == 1 ? " row" : " rows");
}

bool is_schema(std::string_view path) {
  return name_in(path).starts_with("_schema.");
}

bool is_folder_step(const JournalEntry& step) {
  return step.kind == StepKind::create_folder || step.kind == StepKind::remove_folder;
}

// How many rows there are of each kind of step, where all of them lie, and what became of a schema.
struct Tally {
  std::map<StepKind, std::size_t> rows;
  std::set<std::string_view> folders;
  const JournalEntry* schema = nullptr;
};

Tally tally_of(const std::vector<JournalEntry>& steps) {
  Tally tally;
  for (const JournalEntry& step : steps) {
    if (is_folder_step(step)) continue;
    if (is_schema(step.path)) {
      tally.schema = &step;
      continue;
    }
    ++tally.rows[step.kind];
    tally.folders.insert(folder_of(step.path));
  }
  return tally;
}

std::string_view noun_of(StepKind kind) {
  switch (kind) {
    case StepKind::create: return "creation";
    case StepKind::replace: return "update";
    case StepKind::rename: return "rename";
    default: return "deletion";
  }
}

// "update of 1 row in tasks", "creation of the database tasks, creation of 3 rows in tasks".
std::string words_of_steps(const std::vector<JournalEntry>& steps) {
  const Tally tally = tally_of(steps);
  std::string words;
  if (tally.schema != nullptr) {
    const StepKind kind = tally.schema->kind;
    words = std::string(noun_of(kind)) +
            (kind == StepKind::replace ? " of the schema of " : " of the database ") +
            std::string(folder_of(tally.schema->path));
  }
  for (const auto& [kind, count] : tally.rows) {
    words += (words.empty() ? "" : ", ") + std::string(noun_of(kind)) + " of " + rows_of(count);
  }
  if (words.empty()) return "change of folders";
  if (tally.folders.size() == 1 && *tally.folders.begin() != ".")
    words += " in " + std::string(*tally.folders.begin());
  return words;
}

bool lies_below(const JournalEntry& step, std::string_view folder) {
  if (folder == ".") return true;
  const std::string beginning = std::string(folder) + "/";
  return step.path == folder || step.path.starts_with(beginning) ||
         step.new_path.starts_with(beginning);
}

// Which steps are about the scope; of a row by its names, the earlier ones as they turn up.
class ScopeFilter {
 public:
  static Result<ScopeFilter> of(const FileSystem& files, const PastScope& scope) {
    ScopeFilter filter;
    filter.folder_ = scope.database_id;
    if (scope.row_id.empty()) return filter;
    const auto folder = DatabaseFolder::read(files, scope.database_id);
    if (!folder) return folder.error();
    if (const auto allowed = (*folder)->find_row(files, scope.row_id); !allowed)
      return allowed.error();
    filter.is_row_ = true;
    for (const std::string& path : (*folder)->names().candidates(scope.row_id))
      filter.names_.insert((*folder)->full_path(path));
    return filter;
  }

  bool takes(const JournalEntry& step) {
    if (!is_row_) return folder_.empty() || lies_below(step, folder_);
    if (names_.count(step.path) == 0 && names_.count(step.new_path) == 0) return false;
    if (!step.new_path.empty()) names_.insert(step.path);
    return true;
  }

 private:
  std::string folder_;
  std::set<std::string, std::less<>> names_;
  bool is_row_ = false;
};

std::string path_after(const JournalEntry& step) {
  return step.kind == StepKind::rename ? step.new_path : step.path;
}

}  // namespace

std::string words_of(const PastChange& change) {
  return change.what.empty() ? words_of_steps(change.steps) : change.what;
}

// "undo of X", then "redo of X", then "undo of X" again.
std::string words_of_undo(const FileSystem& files, std::string_view id) {
  std::string words = "change " + std::string(id);
  bool was_undo = false;
  (void)files.past_changes([&](PastChange& change) {
    if (change.id != id) return true;
    words = words_of(change);
    was_undo = change.is_undo();
    return false;
  });
  for (const std::string_view said : {undo_word, redo_word}) {
    if (words.starts_with(said)) words.erase(0, said.size());
  }
  return std::string(was_undo ? redo_word : undo_word) + words;
}

Result<void> read_past(Workspace& workspace,
                       const PastScope& scope,
                       const std::function<bool(PastEntry&)>& take) {
  auto filter = ScopeFilter::of(workspace.files(), scope);
  if (!filter) return filter.error();
  std::set<std::string, std::less<>> taken_back;
  return workspace.files().past_changes([&](PastChange& change) {
    if (!change.takes_back.empty()) taken_back.insert(change.takes_back);
    PastEntry entry;
    entry.what = words_of(change);
    entry.undone = taken_back.count(change.id) > 0;
    // Backwards, since a row has had its earlier names before.
    std::vector<JournalEntry> about;
    for (auto step = change.steps.rbegin(); step != change.steps.rend(); ++step) {
      if (filter->takes(*step)) about.push_back(std::move(*step));
    }
    if (about.empty()) return true;
    std::ranges::reverse(about);
    change.steps = std::move(about);
    entry.change = std::move(change);
    return take(entry);
  });
}

PastTexts::Texts PastTexts::read(const JournalEntry& step) const {
  Texts texts;
  texts.after = text_after(step);
  if (step.kind == StepKind::rename) texts.before = texts.after;
  if (!step.file.empty()) {
    if (auto kept = files_.read_kept(step.file)) texts.before = std::move(kept->bytes);
  }
  texts.is_known = texts.before.has_value() == step.old_etag.has_value() &&
                   (texts.after.has_value() || step.kind == StepKind::remove);
  return texts;
}

void PastTexts::pass(const JournalEntry& step) {
  // A file that was only moved is as it is under its new name.
  const auto later = next_.find(step.new_path);
  const bool is_moved = step.kind == StepKind::rename;
  next_[step.path] = {step.old_etag,
                      is_moved && later != next_.end() ? later->second.file : step.file};
}

std::optional<std::string> PastTexts::text_after(const JournalEntry& step) const {
  const std::optional<Etag> etag = step.kind == StepKind::rename ? step.old_etag : step.new_etag;
  if (!etag) return std::nullopt;
  const auto later = next_.find(path_after(step));
  auto now = later != next_.end() && !later->second.file.empty()
                 ? files_.read_kept(later->second.file)
                 : files_.read(path_after(step));
  if (!now || now->etag != *etag) return std::nullopt;
  return std::move(now->bytes);
}

Error not_so_many(const FileSystem& files, PastDirection direction, std::size_t found) {
  const std::string verb = direction == PastDirection::undo ? "undo" : "redo";
  const std::string problem = files.past_problem();
  return {ErrorCode::invalid_argument,
          found == 0 ? "nothing to " + verb + (problem.empty() ? "" : ": " + problem)
                     : "only " + std::to_string(found) + (found == 1 ? " change" : " changes") +
                           " to " + verb,
          Map{}};
}

Result<std::vector<std::string>> next_changes(const FileSystem& files,
                                              PastDirection direction,
                                              std::size_t count) {
  std::vector<std::string> found;
  std::set<std::string, std::less<>> taken_back;
  const auto done = files.past_changes([&](PastChange& change) {
    if (!change.takes_back.empty()) taken_back.insert(change.takes_back);
    if (direction == PastDirection::redo && change.takes_back.empty()) return false;
    const bool is_gone = taken_back.count(change.id) > 0;
    if (!is_gone && change.is_undo() == (direction == PastDirection::redo))
      found.push_back(change.id);
    return found.size() < count;
  });
  if (!done) return done.error();
  return found;
}

Result<std::vector<Workspace::Undone>> step_through_past(Workspace& workspace,
                                                         PastDirection direction,
                                                         std::int64_t count) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  const auto next = next_changes(workspace.files(), direction, static_cast<std::size_t>(count));
  if (!next) return next.error();
  if (std::cmp_greater(count, next->size()))
    return not_so_many(workspace.files(), direction, next->size());
  std::vector<Workspace::Undone> undone;
  for (const std::string& change : *next) {
    auto done = workspace.undo(change);
    if (!done) {
      Error error = done.error();
      if (!undone.empty())
        error.message +=
            "; " + std::to_string(undone.size()) + " changes before it were taken back";
      return std::move(error).with("change", change);
    }
    undone.push_back(*std::move(done));
  }
  return undone;
}

Result<UndoPlan> plan_undo(Workspace& workspace, const std::vector<std::string>& changes) {
  UndoPlan plan;
  PendingFiles pending(workspace.files());
  for (const std::string& change : changes) {
    const auto steps = workspace.files().undo_steps(change);
    if (!steps) return steps.error();
    if (const auto planned = pending.apply(*steps); !planned) {
      return Error(planned.error()).with("change", change);
    }
    for (const Step& step : *steps)
      plan.paths.push_back(step.kind == StepKind::rename ? step.new_path : step.path);
  }
  for (const PendingFiles::Difference& file : pending.differences())
    plan.diff += unified_diff(file.path, file.before, file.after);
  return plan;
}

std::int64_t deletions_since(const FileSystem& files, std::int64_t time_us) {
  std::int64_t deletions = 0;
  std::set<std::string, std::less<>> taken_back;
  (void)files.past_changes([&](PastChange& change) {
    if (change.time_us < time_us) return false;
    if (!change.takes_back.empty()) taken_back.insert(change.takes_back);
    if (taken_back.count(change.id) > 0 || change.is_undo()) return true;
    deletions += std::ranges::count(change.steps, StepKind::remove, &JournalEntry::kind);
    return true;
  });
  return deletions;
}

}  // namespace notesdb
