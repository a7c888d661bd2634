#include "git/recorded_renames.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace notesdb {

namespace {

constexpr std::string_view trailer = "Notesdb-Renamed";
constexpr std::string_view arrow = " => ";

// Old names and what they are now; renames follow one another.
class Names {
 public:
  void add(const std::string& old_path, const std::string& new_path) {
    const auto before = old_of_.find(old_path);
    const std::string first = before == old_of_.end() ? old_path : before->second;
    if (before != old_of_.end()) old_of_.erase(before);
    old_of_[new_path] = first;
  }

  std::vector<RecordedRename> list(const std::set<std::string, std::less<>>& gone,
                                   const std::set<std::string, std::less<>>& made) const {
    std::vector<RecordedRename> renames;
    for (const auto& [now, old] : old_of_) {
      if (gone.contains(old) && made.contains(now)) renames.push_back({old, now});
    }
    return renames;
  }

 private:
  std::map<std::string, std::string> old_of_;
};

std::vector<RecordedRename> among(const Names& names, const std::vector<FileChange>& changes) {
  std::set<std::string, std::less<>> gone;
  std::set<std::string, std::less<>> made;
  for (const FileChange& change : changes) {
    if (change.status == 'D') gone.insert(change.path);
    if (change.status == 'A') made.insert(change.path);
  }
  return names.list(gone, made);
}

// A name that a line cannot hold, or that holds the arrow, is not written down.
bool can_be_written(std::string_view path) {
  return path.find(arrow) == std::string_view::npos &&
         std::ranges::none_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

}  // namespace

std::string rename_trailers(const Repository& repository,
                            const std::vector<RecordedRename>& renames) {
  std::string lines;
  for (const RecordedRename& rename : renames) {
    if (!can_be_written(rename.old_path) || !can_be_written(rename.new_path)) continue;
    lines += std::string(trailer) + ": " + repository.prefix() + rename.old_path +
             std::string(arrow) + repository.prefix() + rename.new_path + "\n";
  }
  return lines.empty() ? "" : "\n" + lines;
}

std::vector<RecordedRename> renames_of_work(const FileSystem& files,
                                            const std::vector<FileChange>& changes) {
  constexpr std::size_t all = 1'000'000;
  Result<std::vector<JournalEntry>> steps = files.history("", all);
  if (!steps) return {};
  Names names;
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    if (step->kind == StepKind::rename) names.add(step->path, step->new_path);
  }
  return among(names, changes);
}

Result<std::vector<RecordedRename>> renames_since(const Repository& repository,
                                                  const std::string& base,
                                                  const std::string& side) {
  Result<ProgramEnd> log =
      repository.run({"log",
                      "--reverse",
                      "--topo-order",
                      "--format=%(trailers:key=" + std::string(trailer) + ",valueonly)",
                      base + ".." + side});
  if (!log) return log.error();
  if (!log->ok()) return repository.failure(*log, "log");
  Names names;
  const std::string& prefix = repository.prefix();
  std::string_view rest = log->out;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t middle = line.find(arrow);
    if (middle == std::string_view::npos) continue;
    const std::string_view old_path = line.substr(0, middle);
    const std::string_view new_path = line.substr(middle + arrow.size());
    if (!old_path.starts_with(prefix) || !new_path.starts_with(prefix)) continue;
    names.add(std::string(old_path.substr(prefix.size())),
              std::string(new_path.substr(prefix.size())));
  }
  Result<std::vector<FileChange>> changes =
      repository.changes({"--no-renames", "--diff-filter=AD", base, side});
  if (!changes) return changes.error();
  return among(names, *changes);
}

}  // namespace notesdb
