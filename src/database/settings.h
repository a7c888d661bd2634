// Settings: what a person may decide about notesdb, each with its value and where it came from.
//
//   flag  >  environment (NOTESDB_MAX_ROWS)  >  notesdb.yaml (max_rows:)  >  default
//
// An invalid value is refused by name, wherever it comes from; an unknown key of notesdb.yaml is
// one too. Reading settings leaves no trace on the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/link_rules.h"

namespace notesdb {

enum class SettingSource { flag, environment, file, fallback };

// What `config show` prints: "--max-rows" is a flag, "NOTESDB_MAX_ROWS" the environment,
// "notesdb.yaml" the file and "default" the fallback.
std::string_view name_of(SettingSource source);

// What stands before a tool call that destroys much: a question to the person at the client, where
// nobody can be asked expect_count; always expect_count; nothing.
enum class Confirm { ask, expect_count, never };

std::string_view name_of(Confirm confirm);

template <typename T>
struct Setting {
  T value{};
  SettingSource source = SettingSource::fallback;
};

struct Settings {
  Setting<std::string> root;  // an absolute folder of this machine; never part of an answer
  // The most of one answer of a tool: rows, and bytes of JSON with long bodies counted.
  Setting<std::int64_t> max_rows{100};
  Setting<std::uint64_t> max_bytes{std::uint64_t{32} << 10U};
  Setting<Confirm> confirm{Confirm::ask};
  Setting<bool> read_only{false};
  Setting<bool> cache{true};
  // What one question may take (core/budget.h).
  Setting<std::chrono::milliseconds> query_timeout{std::chrono::seconds{30}};
  Setting<std::uint64_t> query_memory{std::uint64_t{1} << 30U};
  // How long, and up to how many bytes, what changes replace and delete is kept for undo.
  Setting<std::int64_t> trash_days{30};
  Setting<std::int64_t> trash_bytes{std::int64_t{1} << 30U};
  // Whose rules links follow (link_rules.h); `auto`: a marker tells.
  Setting<std::string> links_flavour{"auto"};
  Setting<std::string> links_root{"auto"};
  Setting<std::string> links_format{"auto"};
  // Where index files lie (cache_place.h): $XDG_CACHE_HOME/notesdb, else ~/.cache/notesdb; empty:
  // nowhere, as where that folder is not this user's alone. No setting of its own.
  std::string cache_folder;
};

// The most that max_bytes may be.
constexpr std::uint64_t largest_max_bytes = std::uint64_t{256} << 10U;

// The flags as they stood on the command line, unread; one that was not given is empty.
struct SettingFlags {
  std::optional<std::string> root;
  std::optional<std::string> max_rows;
  std::optional<std::string> max_bytes;
  std::optional<std::string> confirm;
  std::optional<std::string> read_only;
  std::optional<std::string> cache;
  std::optional<std::string> query_timeout;
  std::optional<std::string> query_memory;
  std::optional<std::string> trash_days;
  std::optional<std::string> trash_bytes;
};

// The value of an environment variable; empty where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The variables of this process.
Environment process_environment();

// `--root`, else NOTESDB_ROOT, else the nearest folder at or above `current_folder` that holds
// notesdb.yaml, else `current_folder`. Relative ones are meant from `current_folder`. Whether one
// that was found may be used is for read_settings to say.
Setting<std::string> find_workspace_root(const std::optional<std::string>& root_flag,
                                         const Environment& environment,
                                         const std::string& current_folder);

// Reads all settings, the root as find_workspace_root. Fails with invalid_argument,
// naming every invalid value at once, and with path_not_allowed where notesdb.yaml is a symbolic
// link, or was found in a folder that nobody named and where others may have put it.
Result<Settings> read_settings(const SettingFlags& flags,
                               const Environment& environment,
                               const std::string& current_folder);

LinkSettings link_settings(const Settings& settings);

// One line of `config show`.
struct SettingLine {
  std::string name;
  std::string value;
  std::string source;
};
std::vector<SettingLine> describe(const Settings& settings);

// The bytes of a notesdb.yaml with one setting changed, everything else as it was. Fails with
// invalid_argument where the key or the value is not valid.
Result<std::string> with_setting(std::string file,
                                 const std::string& key,
                                 const std::string& value);

}  // namespace notesdb
