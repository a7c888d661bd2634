#include "database/past.h"

#include <algorithm>
#include <limits>
#include <map>

#include "database/diff.h"
#include "files/names.h"
#include "index/database_folder.h"

namespace notesdb {

namespace {

constexpr std::size_t all_steps = std::numeric_limits<std::size_t>::max();

struct Change {
  std::string id;
  std::vector<Kept> steps;
};

// Oldest first.
std::vector<Change> by_change(const std::vector<Kept>& newest_first) {
  std::vector<Change> changes;
  for (auto step = newest_first.rbegin(); step != newest_first.rend(); ++step) {
    if (changes.empty() || changes.back().id != step->change) changes.push_back({step->change, {}});
    changes.back().steps.push_back(*step);
  }
  return changes;
}

std::string path_after(const Kept& step) {
  return step.kind == StepKind::rename ? step.new_path : step.path;
}

// Newest first, the texts of a file are known from the file as it is, and then from the versions
// that the changes put aside.
class Texts {
 public:
  explicit Texts(const FileSystem& files) : files_(files) {}

  std::string diff_of(const Kept& step) {
    const std::optional<std::string> after = text_after(step);
    std::optional<std::string> before;
    if (step.kind == StepKind::rename) before = after;
    if (!step.file.empty()) {
      if (auto kept = files_.read_kept(step.file)) before = std::move(kept->bytes);
    }
    next_[step.path] = {step.old_etag, before};
    const bool is_known = before.has_value() == step.old_etag.has_value() &&
                          (after.has_value() || step.kind == StepKind::remove);
    return is_known ? unified_diff(step.path, before, after) : "";
  }

 private:
  struct Text {
    std::optional<Etag> etag;
    std::optional<std::string> bytes;
  };

  std::optional<std::string> text_after(const Kept& step) {
    const std::optional<Etag> etag = step.kind == StepKind::rename ? step.old_etag : step.new_etag;
    if (!etag) return std::nullopt;
    const auto later = next_.find(path_after(step));
    if (later != next_.end())
      return later->second.etag == etag ? later->second.bytes : std::nullopt;
    auto now = files_.read(path_after(step));
    if (!now || now->etag != *etag) return std::nullopt;
    return std::move(now->bytes);
  }

  const FileSystem& files_;
  std::map<std::string, Text> next_;  // by path: before the change that was looked at last
};

bool lies_below(const Kept& step, std::string_view folder) {
  if (folder == ".") return true;
  const std::string beginning = std::string(folder) + "/";
  return step.path.starts_with(beginning) || step.new_path.starts_with(beginning);
}

bool is_newer(const Kept& one, const Kept& other) {
  return std::pair(one.change, one.step) > std::pair(other.change, other.step);
}

bool is_same(const Kept& one, const Kept& other) {
  return one.change == other.change && one.step == other.step;
}

Result<std::vector<Kept>> steps_of(const FileSystem& files,
                                   const DatabaseFolder& folder,
                                   const std::string& row_id,
                                   const std::vector<Kept>& all) {
  std::vector<Kept> found;
  if (row_id.empty()) {
    std::ranges::copy_if(all, std::back_inserter(found), [&](const Kept& step) {
      return lies_below(step, folder.id());
    });
    return found;
  }
  for (const std::string& path : folder.names().candidates(row_id)) {
    auto steps = files.history(folder.full_path(path), all_steps);
    if (!steps) return steps.error();
    std::ranges::move(*steps, std::back_inserter(found));
  }
  std::ranges::sort(found, is_newer);
  const auto [first, last] = std::ranges::unique(found, is_same);
  found.erase(first, last);
  return found;
}

}  // namespace

std::vector<std::string> standing_changes(const std::vector<Kept>& steps) {
  std::vector<Change> standing;
  for (Change& change : by_change(steps)) {
    const auto undone =
        std::find_if(standing.rbegin(), standing.rend(), [&](const Change& earlier) {
          return change.steps.front().takes_back == earlier.id;
        });
    if (undone != standing.rend())
      standing.erase(std::next(undone).base());
    else
      standing.push_back(std::move(change));
  }
  std::vector<std::string> ids;
  for (auto change = standing.rbegin(); change != standing.rend(); ++change)
    ids.push_back(change->id);
  return ids;
}

Result<std::vector<PastStep>> read_past(Workspace& workspace,
                                        const std::string& database_id,
                                        const std::string& row_id,
                                        std::size_t most,
                                        Diffs diffs) {
  const FileSystem& files = workspace.files();
  const auto folder = DatabaseFolder::read(files, database_id);
  if (!folder) return folder.error();
  if (!row_id.empty()) {
    if (const auto allowed = (*folder)->find_row(files, row_id); !allowed) return allowed.error();
  }
  const auto all = files.history("", all_steps);
  if (!all) return all.error();
  const auto steps = steps_of(files, **folder, row_id, *all);
  if (!steps) return steps.error();
  const std::vector<std::string> standing = standing_changes(*all);
  Texts texts(files);
  std::vector<PastStep> past;
  for (const Kept& step : *steps) {
    if (past.size() == most) break;
    const bool stands = std::ranges::find(standing, step.change) != standing.end();
    past.push_back({step, !stands, diffs == Diffs::included ? texts.diff_of(step) : ""});
  }
  return past;
}

Result<std::vector<Workspace::Undone>> undo_newest(Workspace& workspace, std::int64_t count) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  const auto all = workspace.files().history("", all_steps);
  if (!all) return all.error();
  const std::vector<std::string> standing = standing_changes(*all);
  if (std::cmp_greater(count, standing.size())) {
    return Error{ErrorCode::invalid_argument,
                 standing.empty() ? "there is no change that can be taken back; changes are kept "
                                    "for a day"
                                  : "only " + std::to_string(standing.size()) +
                                        " changes can be taken back; changes are kept for a day",
                 Map{}};
  }
  std::vector<Workspace::Undone> undone;
  for (auto change = standing.begin(); change != standing.begin() + count; ++change) {
    auto done = workspace.undo(*change);
    if (!done) {
      Error error = done.error();
      if (!undone.empty())
        error.message +=
            "; " + std::to_string(undone.size()) + " changes before it were taken back";
      return std::move(error).with("change", *change);
    }
    undone.push_back(*std::move(done));
  }
  return undone;
}

}  // namespace notesdb
