#include "serving/own_settings.h"

#include <sys/stat.h>

#include "database/settings.h"
#include "files/file_system.h"

namespace notesdb {
namespace {

// The same folder, by whatever path, under the same name: answers show the name.
bool is_same_root(const std::string& a, const std::string& b) {
  if (a == b) return true;
  struct stat one {};
  struct stat other {};
  if (::stat(a.c_str(), &one) != 0 || ::stat(b.c_str(), &other) != 0) return false;
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && name(a) == name(b);
}

// All that settings follow from, but notesdb.yaml.
std::string what_decides(const cli::Session& session) {
  const SettingFlags flags = session.setting_flags();
  const cli::CommandEnvironment& around = session.around;
  // One that was found is not one that was named: who may have made it decides, too.
  const auto root = find_workspace_root(flags.root, around.environment, around.folder);
  std::string all = root.value + '\0' + std::string(name_of(root.source));
  const auto add = [&](const std::optional<std::string>& text) {
    all += '\0';
    if (text) all += "=" + *text;
  };
  add(flags.max_rows);
  add(flags.max_bytes);
  add(flags.read_only);
  add(flags.cache);
  add(flags.query_timeout);
  add(flags.query_memory);
  for (const std::string& name : deciding_variables())
    add(around.environment(name));
  return all;
}

// Nothing where its key does not tell every change of it.
std::optional<FileStat> settings_file(Workspace& workspace) {
  const auto found = workspace.files().stat("notesdb.yaml");
  if (!found) return std::nullopt;
  const bool is_told = found->kind == FileKind::missing ||
                       (found->kind == FileKind::regular && is_sure(found->key, clock_ns()));
  return is_told ? std::optional(*found) : std::nullopt;
}

bool is_same(const FileStat& a, const FileStat& b) {
  return a.kind == b.kind && a.key == b.key;
}

}  // namespace

const std::vector<std::string>& deciding_variables() {
  static const std::vector<std::string> names{"NOTESDB_ROOT",
                                              "NOTESDB_READ_ONLY",
                                              "NOTESDB_MAX_ROWS",
                                              "NOTESDB_MAX_BYTES",
                                              "NOTESDB_CACHE",
                                              "NOTESDB_QUERY_TIMEOUT",
                                              "NOTESDB_QUERY_MEMORY",
                                              "TZ"};
  return names;
}

bool OwnSettings::are_those_of(const cli::Session& session) {
  const auto file = settings_file(workspace_);
  std::string decided_by = what_decides(session);
  {
    const std::lock_guard guard(mutex_);
    if (file && known_ && known_->decided_by == decided_by && is_same(known_->file, *file))
      return true;
  }
  const Result<Settings> settings = session.settings();
  if (!settings || !is_same_as(*settings)) return false;
  // Another path of the same folder may lead elsewhere next time.
  if (!file || settings->root.value != workspace_.settings().root.value) return true;
  const std::lock_guard guard(mutex_);
  known_ = {std::move(decided_by), *file};
  return true;
}

bool OwnSettings::is_same_as(const Settings& settings) const {
  const Settings& own = workspace_.settings();
  return settings.read_only.value == own.read_only.value &&
         settings.max_rows.value == own.max_rows.value &&
         settings.max_bytes.value == own.max_bytes.value &&
         settings.cache.value == own.cache.value &&
         settings.query_timeout.value == own.query_timeout.value &&
         settings.query_memory.value == own.query_memory.value &&
         is_same_root(settings.root.value, own.root.value);
}

}  // namespace notesdb
