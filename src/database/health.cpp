#include "database/health.h"

#include <set>

#include <fcntl.h>

#include "core/count.h"
#include "database/cache_place.h"
#include "files/confinement.h"
#include "files/git_guard.h"
#include "files/guarantees.h"
#include "files/intent.h"
#include "files/root.h"
#include "files/store.h"

namespace notesdb {

namespace {

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
  return {"git", Health::holds, "no git command is running here"};
}

Finding remembering(const Settings& settings) {
  const std::string problem = settings.cache.value ? cache_problem_of(process_environment()) : "";
  if (!problem.empty()) return {"cache", Health::broken, problem};
  if (settings.cache.value)
    return {"cache", Health::holds, "what was read is remembered and compared before each answer"};
  return {"cache", Health::smaller, "the cache is off: every answer reads every file"};
}

// Whether what lies in `.notesdb` is ours, so that it can be taken back.
Finding owner(const Root& root) {
  if (std::string warning = store_warning(root); !warning.empty())
    return {"store", Health::broken, std::move(warning)};
  const Store store = Store::find(root);
  if (store.state() == StoreState::unverified) {
    return {"store",
            Health::smaller,
            "nothing can be undone: .notesdb cannot be verified, because " + store.why()};
  }
  return {"store", Health::holds, "what notesdb keeps for undo was made by this user, here"};
}

// Changes that were interrupted: the next write finishes one of ours; those that could not be
// finished wait for a person.
Finding intents(const FileSystem& files, const Root& root) {
  std::size_t stuck = 0;
  if (const auto entries = files.list(".notesdb/intent")) {
    for (const Entry& entry : *entries)
      stuck += entry.name.ends_with(".stuck") ? 1 : 0;
  }
  const Store store = Store::find(root);
  if (stuck == 0 && store.is_ours() && has_intent(store.intent()))
    return {"interrupted",
            Health::smaller,
            "a change was interrupted; the next write finishes it, and until then its rows may be "
            "as before or as after"};
  if (stuck == 0) return {"interrupted", Health::holds, "no change was left half done"};
  return {
      "interrupted",
      Health::broken,
      count_of(stuck, "change") +
          " could not be finished because a file had changed, or are not ours; the lists are in "
          ".notesdb/intent"};
}

Finding kept_versions(const FileSystem& files) {
  std::size_t changes = 0;
  const auto read = files.past_changes([&](const PastChange&) { return ++changes > 0; });
  if (!read) return {"undo", Health::broken, read.error().message};
  return {"undo", Health::holds, count_of(changes, "change") + " can be looked at"};
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

std::string store_warning(const Settings& settings) {
  const auto root = Root::open(settings.root.value);
  return root ? store_warning(*root) : "";
}

Result<std::vector<Finding>> examine(Workspace& workspace) {
  const Settings& settings = workspace.settings();
  std::vector<Finding> findings;
  const auto root = Root::open(settings.root.value);
  if (!root) return root.error();
  if (settings.read_only.value) {
    findings.push_back({"writing", Health::smaller, "read-only: nothing is written or tried"});
  } else {
    findings = means_of(*root);
  }
  findings.push_back(git(settings));
  findings.push_back(remembering(settings));
  findings.push_back(owner(*root));
  findings.push_back(intents(workspace.files(), *root));
  findings.push_back(kept_versions(workspace.files()));
  findings.push_back(landlock());
  return findings;
}

}  // namespace notesdb
