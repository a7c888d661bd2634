#include "git/merge_issues.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "check/check.h"
#include "git/past.h"

namespace notesdb {

namespace {

using Paths = std::set<std::string, std::less<>>;

// The commits that met: ours before the first merge, and whatever was merged into it since.
struct Sides {
  std::string ours;
  std::vector<std::string> others;
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(at)));
    text.remove_prefix(std::min(parts.back().size() + 1, text.size()));
  }
  return parts;
}

// `git rev-list --parents` of our merges, newest first: the merge, its first parent, the others.
Result<Sides> sides_of_merges(const Repository& repository, const std::string& upstream) {
  Result<std::string> text =
      repository.ask({"rev-list", "--first-parent", "--merges", "--parents", upstream + "..HEAD"});
  if (!text) return text.error();
  Sides sides;
  for (std::string_view line : split(*text, '\n')) {
    std::vector<std::string_view> ids = split(line, ' ');
    constexpr std::size_t fewest = 3;
    if (ids.size() < fewest) continue;
    sides.ours = ids[1];
    sides.others.insert(sides.others.end(), ids.begin() + 2, ids.end());
  }
  return sides;
}

Result<std::vector<Issue>> errors_of(Workspace& workspace, const CheckRequest& request) {
  Result<CheckAnswer> answer = check(workspace, request);
  if (!answer) return answer.error();
  std::erase_if(answer->issues,
                [](const Issue& issue) { return issue.severity != Severity::error; });
  return std::move(answer->issues);
}

Result<void> add_changed(const Repository& repository, const std::string& side, Paths& paths) {
  Result<std::vector<FileChange>> changes = repository.changes({"--no-renames", side, "HEAD"});
  if (!changes) return changes.error();
  for (const FileChange& change : *changes)
    paths.insert(change.path);
  return {};
}

// Lines move in a merge; what is wrong with which field does not.
auto name_of_issue(const Issue& issue) {
  return std::tie(issue.path, issue.rule, issue.field, issue.message);
}

// Leaves out what a side had already. A side that cannot be asked had nothing.
void drop_known(Workspace& workspace, const std::string& side, std::vector<Issue>& errors) {
  Result<std::shared_ptr<Workspace>> past = past_workspace(workspace, side);
  if (!past) return;
  Result<std::vector<Issue>> known = errors_of(**past, {});
  if (!known) return;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> names;
  for (const Issue& issue : *known)
    names.insert(name_of_issue(issue));
  std::erase_if(errors, [&](const Issue& issue) { return names.contains(name_of_issue(issue)); });
}

}  // namespace

Result<std::vector<Issue>> issues_of_merges(Workspace& workspace,
                                            const Repository& repository,
                                            const std::string& upstream) {
  Result<Sides> sides = sides_of_merges(repository, upstream);
  if (!sides) return sides.error();
  if (sides->ours.empty()) return std::vector<Issue>{};
  // A file that is on both sides as it is now is as wrong as it was there.
  CheckRequest request;
  request.paths.emplace();
  for (const std::string& side : {upstream, sides->ours}) {
    if (Result<void> done = add_changed(repository, side, *request.paths); !done)
      return done.error();
  }
  Result<std::vector<Issue>> errors = errors_of(workspace, request);
  if (!errors) return errors;
  sides->others.insert(sides->others.begin(), {upstream, sides->ours});
  for (const std::string& side : sides->others) {
    if (errors->empty()) break;
    drop_known(workspace, side, *errors);
  }
  return errors;
}

}  // namespace notesdb
