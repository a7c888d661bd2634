#include "git/dropped_edits.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace notesdb {

namespace {

bool may_drop_edits_since(const std::vector<FileChange>& ours,
                          const std::vector<FileChange>& theirs) {
  std::map<std::string_view, const FileChange*> by_path;
  for (const FileChange& change : ours)
    by_path[change.path] = &change;
  bool is_made_alike = false;
  bool is_edited_and_gone = false;
  for (const FileChange& change : theirs) {
    const auto found = by_path.find(change.path);
    if (found == by_path.end()) continue;
    const FileChange& mine = *found->second;
    if (mine.status == 'A') is_made_alike |= mine.new_id == change.new_id;
    is_edited_and_gone |= (mine.status == 'D') != (change.status == 'D');
  }
  return is_made_alike && is_edited_and_gone;
}

}  // namespace

Result<bool> may_drop_edits(const Repository& repository, const std::string& other) {
  Result<ProgramEnd> bases = repository.run({"merge-base", "--all", "HEAD", other});
  if (!bases) return bases.error();
  std::string_view rest = bases->out;
  while (!rest.empty()) {
    const std::string base(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(base.size() + 1, rest.size()));
    Result<std::vector<FileChange>> ours = repository.changes({"--no-renames", base, "HEAD"});
    if (!ours) return ours.error();
    if (std::ranges::none_of(*ours, [](const FileChange& change) { return change.status == 'A'; }))
      continue;
    Result<std::vector<FileChange>> theirs = repository.changes({"--no-renames", base, other});
    if (!theirs) return theirs.error();
    if (may_drop_edits_since(*ours, *theirs)) return true;
  }
  return false;
}

}  // namespace notesdb
