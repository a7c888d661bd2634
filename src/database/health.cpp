#include "database/health.h"

#include <set>

#include <fcntl.h>

#include "files/confinement.h"
#include "files/git_guard.h"
#include "files/guarantees.h"
#include "files/root.h"

namespace notesdb {

namespace {

std::string count_of(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

// What is said where a means is there.
std::string_view meaning_of(std::string_view guarantee) {
  if (guarantee == "exchange") return "a row is replaced and looked at in one step";
  if (guarantee == "lease") return "a program that is saving a row is waited for";
  if (guarantee == "unnamed_file") return "a crash while a row is created leaves nothing";
  if (guarantee == "open_beneath") return "the kernel keeps every path below the workspace";
  if (guarantee == "watch") return "a server is told which folders have changed";
  return "";
}

std::vector<Finding> means_of(const Root& root) {
  const auto guarantees = probe_guarantees(root);
  if (!guarantees) return {{"writing", Health::broken, guarantees.error().message}};
  std::vector<Finding> findings{{"writing", Health::holds, "rows can be written"}};
  for (const Guarantee& guarantee : *guarantees) {
    if (guarantee.holds)
      findings.push_back({guarantee.name, Health::holds, std::string(meaning_of(guarantee.name))});
    else
      findings.push_back({guarantee.name, Health::smaller, guarantee.without});
  }
  return findings;
}

Finding landlock() {
  const int version = landlock_version();
  if (version >= least_landlock_version) {
    return {"landlock",
            Health::holds,
            "the kernel keeps `mcp` and `serve` from files outside the workspace (version " +
                std::to_string(version) + ")"};
  }
  return {
      "landlock",
      Health::smaller,
      "the kernel cannot keep `mcp` and `serve` from files outside the workspace; notesdb's own "
      "checks do"};
}

Finding git(const Settings& settings) {
  if (GitGuard(AT_FDCWD, settings.root.value).git_is_working())
    return {"git", Health::smaller, "git is working here, or has left its index.lock; writes wait"};
  return {"git", Health::holds, "git is not at work here"};
}

Finding remembering(const Settings& settings) {
  if (settings.cache.value)
    return {"cache", Health::holds, "what was read is remembered and compared before each answer"};
  return {"cache", Health::smaller, "the cache is off: every answer reads every file"};
}

// Changes that were interrupted and could not be finished, which wait for a person.
Finding intents(const FileSystem& files) {
  std::size_t stuck = 0;
  if (const auto entries = files.list(".notesdb/intent")) {
    for (const Entry& entry : *entries)
      stuck += entry.name.ends_with(".stuck") ? 1 : 0;
  }
  if (stuck == 0) return {"interrupted", Health::holds, "no change was left half done"};
  return {
      "interrupted",
      Health::broken,
      count_of(stuck, "change") +
          " could not be finished because a file had changed; the lists are in .notesdb/intent"};
}

Finding kept_versions(const FileSystem& files) {
  const auto steps = files.history("", static_cast<std::size_t>(-1));
  if (!steps) return {"undo", Health::broken, steps.error().message};
  std::set<std::string> changes;
  for (const Kept& step : *steps)
    changes.insert(step.change);
  return {"undo", Health::holds, count_of(changes.size(), "change") + " can be looked at"};
}

}  // namespace

std::string_view name_of(Health health) {
  switch (health) {
    case Health::holds: return "ok";
    case Health::smaller: return "smaller";
    case Health::broken: break;
  }
  return "broken";
}

Result<std::vector<Finding>> examine(Workspace& workspace) {
  const Settings& settings = workspace.settings();
  std::vector<Finding> findings;
  if (settings.read_only.value) {
    findings.push_back({"writing", Health::smaller, "read-only: nothing is written or tried"});
  } else {
    const auto root = Root::open(settings.root.value);
    if (!root) return root.error();
    findings = means_of(*root);
  }
  findings.push_back(git(settings));
  findings.push_back(remembering(settings));
  findings.push_back(intents(workspace.files()));
  findings.push_back(kept_versions(workspace.files()));
  findings.push_back(landlock());
  return findings;
}

}  // namespace notesdb
