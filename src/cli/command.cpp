#include "cli/command.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>

#include <unistd.h>

#include "cli/output_format.h"
#include "database/cache_place.h"

namespace notesdb::cli {

void Words::add(std::string_view name, std::string value) {
  entries_.push_back({std::string(name), std::move(value)});
}

bool Words::has(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
}

std::optional<std::string> Words::last(std::string_view name) const {
  std::optional<std::string> found;
  for (const Entry& entry : entries_)
    if (entry.name == name) found = entry.value;
  return found;
}

std::vector<std::string> Words::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const Entry& entry : entries_)
    if (entry.name == name) values.push_back(entry.value);
  return values;
}

namespace {

std::string current_folder() {
  std::unique_ptr<char, void (*)(void*)> folder(getcwd(nullptr, 0), std::free);
  return folder == nullptr ? "." : folder.get();
}

// What a command may spend, after its answer, on what earlier changes have left.
constexpr std::chrono::milliseconds tidy_budget(20);

}  // namespace

const CommandEnvironment& own_environment() {
  static const CommandEnvironment own{process_environment(), current_folder()};
  return own;
}

SettingFlags Session::setting_flags() const {
  SettingFlags flags;
  flags.root = words.last("root");
  if (words.has("read-only")) flags.read_only = "true";
  if (words.has("no-cache")) flags.cache = "off";
  flags.query_timeout = words.last("query-timeout");
  flags.query_memory = words.last("query-memory");
  return flags;
}

Result<Settings> Session::settings() const {
  Result<Settings> read = read_settings(setting_flags(), around.environment, around.folder);
  static std::once_flag told;
  if (read && read->cache.value && read->cache_folder.empty()) {
    const std::string problem = cache_problem_of(around.environment);
    if (!problem.empty()) std::call_once(told, [&] { console.err("warning: " + problem); });
  }
  return read;
}

Result<std::shared_ptr<Workspace>> Session::workspace() const {
  if (around.workspace != nullptr) return around.workspace;
  Result<Settings> read = settings();
  if (!read) return read.error();
  Result<std::unique_ptr<Workspace>> opened = Workspace::open(*read);
  if (!opened) return opened.error();
  std::shared_ptr<Workspace> workspace = *std::move(opened);
  console.afterwards([workspace] { workspace->tidy(tidy_budget); });
  return workspace;
}

const Flag* Command::find_flag(std::string_view flag_name) const {
  auto found = std::ranges::find(flags, flag_name, &Flag::name);
  return found == flags.end() ? nullptr : &*found;
}

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags{
      {.name = "root",
       .value = "DIR",
       .description = "the workspace; default: $NOTESDB_ROOT, else "
                      "the nearest folder with a notesdb.yaml"},
      {.name = "read-only", .value = "", .description = "refuse every write"},
      {.name = "no-cache", .value = "", .description = "ignore the cache"},
      {.name = "no-server", .value = "", .description = "bypass a running server"},
      {.name = "query-timeout",
       .value = "TIME",
       .description = "stop a question after this long (default 30s)"},
      {.name = "query-memory",
       .value = "SIZE",
       .description = "the most memory that a question may take (default 1GiB)"},
      {.name = "no-pager", .value = "", .description = "do not page more than a screen"},
      {.name = "color",
       .value = "auto|always|never",
       .description = "colour the output; default auto: on a terminal, unless NO_COLOR is set",
       .choices = {"auto", "always", "never"}},
      {.name = "output",
       .value = "FORMAT",
       .description = "table, json, jsonl, csv, tsv, yaml, md or ids",
       .letter = 'o',
       .choices = output_format_names()},
      {.name = "json", .value = "", .description = "the same as -o json"},
      {.name = "help", .value = "", .description = "explain the command", .letter = 'h'},
  };
  return flags;
}

std::string usage(const Command& command) {
  std::string line = "notesdb " + command.name;
  for (const Positional& positional : command.positionals)
    line += positional.required ? " " + positional.name : " [" + positional.name + "]";
  if (!command.flags.empty()) line += " [options]";
  return line;
}

}  // namespace notesdb::cli
