#include "git/recorded_renames.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace notesdb {

namespace {

constexpr std::string_view trailer = "Notesdb-Renamed";
constexpr std::string_view arrow = " => ";

// A name that a line cannot hold, or that holds the arrow, is not written down.
bool can_be_written(std::string_view path) {
  return path.find(arrow) == std::string_view::npos &&
         std::ranges::none_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view item = text.substr(0, text.find(end));
  text.remove_prefix(std::min(item.size() + 1, text.size()));
  return item;
}

// The files that a commit takes away, or gives other bytes, and makes.
struct Paths {
  explicit Paths(const std::vector<FileChange>& changes) {
    for (const FileChange& change : changes) {
      if (change.status == 'D') gone.insert(change.path);
      if (change.status == 'M') changed.insert(change.path);
      if (change.status == 'A') made.insert(change.path);
    }
  }
  std::set<std::string, std::less<>> gone;
  std::set<std::string, std::less<>> changed;
  std::set<std::string, std::less<>> made;
};

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
  std::vector<RecordedRename> renames;
  const Paths paths(changes);
  if (paths.made.empty() || (paths.gone.empty() && paths.changed.empty())) return renames;
  constexpr std::size_t all = 1'000'000;
  Result<std::vector<JournalEntry>> steps = files.history("", all);
  if (!steps) return renames;
  std::map<std::string, std::string> name_before;
  std::set<std::string> made_again;  // since they were renamed
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    if (step->kind == StepKind::create) made_again.insert(step->path);
    if (step->new_path.empty()) continue;
    name_before[step->new_path] = step->path;
    made_again.erase(step->new_path);
    made_again.erase(step->path);
  }
  // Back to the name that the last commit has; the journal knows earlier ones, too.
  for (const std::string& path : paths.made) {
    std::set<std::string> seen;
    // Where another row was made under that name, it is there, with other bytes.
    const auto is_last = [&](const std::string& name) {
      return paths.gone.contains(name) || (paths.changed.contains(name) &&
                                           made_again.contains(name) && !made_again.contains(path));
    };
    auto before = name_before.find(path);
    while (before != name_before.end() && seen.insert(before->second).second &&
           !is_last(before->second))
      before = name_before.find(before->second);
    if (before != name_before.end() && is_last(before->second))
      renames.push_back({before->second, path});
  }
  return renames;
}

namespace {

struct Commit {
  std::string id;
  std::vector<std::string> parents;
  std::vector<RecordedRename> renames;
  std::vector<FileChange> changes;  // files that were made and taken away; none of a merge
};

// What lies under a name: which row of the first commit, or another one (an empty `origin`). Where
// it was taken away, what lay there.
struct Place {
  std::string origin;
  bool is_there = true;
  std::string object = {};
};

// The names under which there is something else than in the first commit.
using Places = std::map<std::string, Place>;

// RowHistory: the rows of a commit followed through the commits after it, by every line of them.
//
// Lines that had parted before the first commit know it not: what they made under a name that it
// has is another row. Where lines meet, a row of the first commit goes before such a one.
class RowHistory {
 public:
  RowHistory(const Repository& repository, std::string base, std::string side)
      : repository_(repository), base_(std::move(base)), side_(std::move(side)) {}

  Result<NamesSince> run() {
    if (Result<void> done = read_commits(); !done) return done.error();
    for (const Commit& commit : commits_) {
      for (const FileChange& change : commit.changes) {
        if (change.status == 'A') names_.given[change.path].insert(change.new_id);
        if (change.status == 'D') followed_.insert(change.path);
      }
      for (const RecordedRename& rename : commit.renames)
        followed_.insert({rename.old_path, rename.new_path});
    }
    if (base_.empty() || followed_.empty()) return std::move(names_);
    if (Result<void> done = find_paths(); !done) return done.error();
    for (const Commit& commit : commits_)
      places_[commit.id] = after(commit);
    name_rows(*places_.at(commits_.back().id));
    return std::move(names_);
  }

 private:
  using SharedPlaces = std::shared_ptr<const Places>;

  // Parents before children.
  Result<void> read_commits() {
    const Result<std::string> log = repository_.ask_once(
        {"log",
         "--topo-order",
         "--reverse",
         "--raw",
         "-z",
         "--no-abbrev",
         "--no-renames",
         "--no-ext-diff",
         "--no-textconv",
         "--ignore-submodules=all",
         "--format=%x01%H%x00%P%x00%(trailers:key=" + std::string(trailer) + ",valueonly)%x00",
         base_.empty() ? side_ : base_ + ".." + side_});
    if (!log) return log.error();
    std::string_view rest = *log;
    take_until(rest, '\x01');
    while (!rest.empty())
      add_commit(take_until(rest, '\x01'));
    return {};
  }

  void add_commit(std::string_view text) {
    Commit commit;
    commit.id = take_until(text, '\0');
    std::string_view parents = take_until(text, '\0');
    while (!parents.empty())
      commit.parents.emplace_back(take_until(parents, ' '));
    std::string_view lines = take_until(text, '\0');
    text.remove_prefix(std::min(text.find(':'), text.size()));
    commit.changes = parse_raw_changes(text, repository_.prefix());
    while (!lines.empty())
      add_rename(take_until(lines, '\n'), commit.renames);
    const Paths paths(commit.changes);
    std::erase_if(commit.renames, [&](const RecordedRename& rename) {
      const bool was_there =
          paths.gone.contains(rename.old_path) || paths.changed.contains(rename.old_path);
      return !was_there || !paths.made.contains(rename.new_path);
    });
    std::erase_if(commit.changes, [](const FileChange& change) {
      return change.status != 'A' && change.status != 'D';
    });
    commits_.push_back(std::move(commit));
  }

  void add_rename(std::string_view line, std::vector<RecordedRename>& renames) const {
    const std::size_t middle = line.find(arrow);
    if (middle == std::string_view::npos) return;
    const std::string& prefix = repository_.prefix();
    const std::string_view old_path = line.substr(0, middle);
    const std::string_view new_path = line.substr(middle + arrow.size());
    if (!old_path.starts_with(prefix) || !new_path.starts_with(prefix)) return;
    renames.push_back(
        {std::string(old_path.substr(prefix.size())), std::string(new_path.substr(prefix.size()))});
  }

  // Which of the followed names the first commit has, the last one, and those before the first that
  // a line of commits begins at.
  Result<void> find_paths() {
    std::set<std::string> known;
    for (const Commit& commit : commits_)
      known.insert(commit.id);
    std::set<std::string> asked{base_, commits_.back().id};
    for (const Commit& commit : commits_) {
      for (const std::string& parent : commit.parents) {
        if (!known.contains(parent)) asked.insert(parent);
      }
    }
    std::erase_if(followed_, [](const std::string& path) { return !can_be_written(path); });
    std::string input;
    for (const std::string& commit : asked) {
      for (const std::string& path : followed_)
        input.append(commit).append(":").append(repository_.prefix()).append(path).append("\n");
    }
    Result<ProgramEnd> end = repository_.run({"cat-file", "--batch-check", "--buffer"}, input);
    if (!end) return end.error();
    if (!end->ok()) return repository_.failure(*end, "cat-file");
    std::string_view rest = end->out;
    for (const std::string& commit : asked) {
      for (const std::string& path : followed_) {
        if (!take_until(rest, '\n').ends_with(" missing")) paths_[commit].insert(path);
      }
    }
    return {};
  }

  bool has(const std::string& commit, const std::string& path) const {
    const auto found = paths_.find(commit);
    return found != paths_.end() && found->second.contains(path);
  }

  Place place_in(const Places& places, const std::string& path) const {
    const auto found = places.find(path);
    if (found != places.end()) return found->second;
    return {has(base_, path) ? path : std::string(), has(base_, path)};
  }

  // Before the commits that were read there is a row of the first one where both have the name.
  SharedPlaces places_at(const std::string& commit) {
    SharedPlaces& places = places_[commit];
    if (places) return places;
    Places others;
    for (const std::string& path : followed_) {
      if (commit != base_ && has(base_, path) && !has(commit, path)) others[path] = {"", false};
    }
    return places = std::make_shared<const Places>(std::move(others));
  }

  SharedPlaces after(const Commit& commit) {
    SharedPlaces before = commit.parents.empty() ? places_at("") : places_at(commit.parents[0]);
    for (std::size_t i = 1; i < commit.parents.size(); ++i)
      before = joined(before, places_at(commit.parents[i]));
    if (commit.changes.empty()) return before;
    Places places = *before;
    for (const FileChange& change : commit.changes) {
      if (!followed_.contains(change.path)) continue;
      const Place was = place_in(*before, change.path);
      if (change.status == 'D') {
        places[change.path] = {was.origin, false, change.old_id};
      } else {
        const bool is_back = !was.is_there && was.object == change.new_id;
        places[change.path] = {is_back ? was.origin : "", true, change.new_id};
      }
    }
    for (const RecordedRename& rename : commit.renames) {
      if (places[rename.old_path].is_there) places[rename.old_path] = {};
    }
    for (const RecordedRename& rename : commit.renames)
      places[rename.new_path] = {place_in(*before, rename.old_path).origin};
    return std::make_shared<const Places>(std::move(places));
  }

  SharedPlaces joined(const SharedPlaces& ours, const SharedPlaces& theirs) const {
    if (ours == theirs) return ours;
    const auto rank = [](const Place& place) {
      return (place.origin.empty() ? 0 : 2) + (place.is_there ? 1 : 0);
    };
    Places places;
    for (const Places* side : {ours.get(), theirs.get()}) {
      for (const auto& [path, unused] : *side) {
        const Place mine = place_in(*ours, path);
        const Place other = place_in(*theirs, path);
        places[path] = rank(mine) < rank(other) ? other : mine;
      }
    }
    return std::make_shared<const Places>(std::move(places));
  }

  void name_rows(const Places& places) {
    const std::string& last = commits_.back().id;
    for (const auto& [path, place] : places) {
      if (!place.is_there || !has(last, path) || place.origin == path) continue;
      if (has(base_, path)) {
        names_.remade.insert(path);
      } else if (!place.origin.empty()) {
        names_.renamed.emplace(place.origin, path);
      }
    }
    std::erase_if(names_.renamed, [&](const auto& rename) {
      return has(last, rename.first) && !names_.remade.contains(rename.first);
    });
  }

  const Repository& repository_;
  std::string base_;
  std::string side_;
  std::vector<Commit> commits_;
  std::set<std::string> followed_;                      // names that a row lost or got
  std::map<std::string, std::set<std::string>> paths_;  // that a commit has, of the followed ones
  std::map<std::string, SharedPlaces> places_;          // after a commit
  NamesSince names_;
};

}  // namespace

Result<NamesSince> names_since(const Repository& repository,
                               const std::string& base,
                               const std::string& side) {
  return RowHistory(repository, base, side).run();
}

}  // namespace notesdb
