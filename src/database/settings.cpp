#include "database/settings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>

#include <fcntl.h>

#include "core/error.h"
#include "core/text.h"
#include "database/workspace_root.h"
#include "files/descriptor.h"
#include "files/failure.h"
#include "note/note.h"
#include "note/scalar.h"

namespace notesdb {
namespace {

constexpr std::string_view file_name = "notesdb.yaml";

struct SettingName {
  std::string_view name;      // in notesdb.yaml and config show
  std::string_view flag;      //
  std::string_view variable;  //
};
constexpr SettingName root_name{"root", "--root", "NOTESDB_ROOT"};
constexpr SettingName max_rows_name{"max_rows", "--max-rows", "NOTESDB_MAX_ROWS"};
constexpr SettingName read_only_name{"read_only", "--read-only", "NOTESDB_READ_ONLY"};
constexpr SettingName cache_name{"cache", "--cache", "NOTESDB_CACHE"};

Error senseless(std::string_view place, std::string_view text, std::string_view wanted) {
  return {
      ErrorCode::invalid_argument,
      std::string(place) + " is '" + escape_controls(text) + "'; it takes " + std::string(wanted),
      Map{}};
}

std::optional<bool> parse_switch(std::string_view text) {
  const std::string word = fold_case(text);
  if (word == "1" || word == "true" || word == "yes" || word == "on") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

// The text of a setting and where it stands, from the first place that has one.
struct Found {
  std::string text;
  SettingSource source = SettingSource::fallback;
  std::string place;  // for messages
};

class Reader {
 public:
  Reader(const Environment& environment, std::map<std::string, std::string> file)
      : environment_(environment), file_(std::move(file)) {}

  std::optional<Found> find(const SettingName& name, const std::optional<std::string>& flag) const {
    if (flag) return Found{*flag, SettingSource::flag, std::string(name.flag)};
    const auto variable = environment_(std::string(name.variable));
    if (variable && !variable->empty()) {
      return Found{*variable, SettingSource::environment, std::string(name.variable)};
    }
    const auto line = file_.find(std::string(name.name));
    if (line == file_.end()) return std::nullopt;
    return Found{line->second,
                 SettingSource::file,
                 std::string(name.name) + " in " + std::string(file_name)};
  }

  void read_switch(const SettingName& name,
                   const std::optional<std::string>& flag,
                   Setting<bool>& setting) {
    const auto found = find(name, flag);
    if (!found) return;
    const auto value = parse_switch(found->text);
    if (!value) {
      errors.push_back(senseless(found->place, found->text, "true or false (on, off, 1, 0)"));
      return;
    }
    setting = {*value, found->source};
  }

  void read_count(const SettingName& name,
                  const std::optional<std::string>& flag,
                  Setting<std::int64_t>& setting) {
    const auto found = find(name, flag);
    if (!found) return;
    const auto value = parse_count(found->text);
    if (!value) {
      errors.push_back(senseless(found->place, found->text, "a whole number of at least 1"));
      return;
    }
    setting = {*value, found->source};
  }

  std::vector<Error> errors;

 private:
  const Environment& environment_;
  std::map<std::string, std::string> file_;
};

Error in_file(const Error& error) {
  Error told = error;
  told.message = std::string(file_name) + ": " + error.message;
  return told;
}

// What the file says; nothing where there is none. One that cannot be read may forbid writing, so
// nobody goes on without it.
Result<std::string> bytes_of_file(const std::string& root) {
  constexpr std::uint64_t usual_length = 1'000;
  const std::string path = root + "/" + std::string(file_name);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::string();
  std::string bytes;
  const int error = file ? read_whole(file.get(), largest_file, bytes, usual_length) : errno;
  if (error != 0) return failure(error, "read", file_name);
  return bytes;
}

Result<std::map<std::string, std::string>> read_file(const std::string& root) {
  std::map<std::string, std::string> settings;
  auto bytes = bytes_of_file(root);
  if (!bytes) return bytes.error();
  const auto note = Note::parse(*std::move(bytes), NoteFormat::yaml);
  if (!note) return in_file(note.error());
  static const std::vector<std::string> known = {"max_rows", "read_only", "cache"};
  for (const NoteField& field : note->fields()) {
    if (std::find(known.begin(), known.end(), field.key) == known.end()) {
      return unknown_name(ErrorCode::invalid_argument, "setting in notesdb.yaml", field.key, known);
    }
    if (!field.readable || !field.node.is_scalar()) {
      return senseless(field.key + " in " + std::string(file_name), "", "one value");
    }
    settings[field.key] = field.node.text;
  }
  return settings;
}

// A relative $XDG_CACHE_HOME is invalid and ignored, as its specification wants it.
std::string cache_folder(const Environment& environment) {
  const auto cache = environment("XDG_CACHE_HOME");
  if (cache && cache->starts_with('/')) return *cache + "/notesdb";
  const auto home = environment("HOME");
  return home && home->starts_with('/') ? *home + "/.cache/notesdb" : "";
}

std::string source_text(const SettingName& name, SettingSource source) {
  switch (source) {
    case SettingSource::flag: return std::string(name.flag);
    case SettingSource::environment: return std::string(name.variable);
    default: return std::string(name_of(source));
  }
}

}  // namespace

std::string_view name_of(SettingSource source) {
  switch (source) {
    case SettingSource::flag: return "flag";
    case SettingSource::environment: return "environment";
    case SettingSource::file: return file_name;
    case SettingSource::fallback: return "default";
  }
  return "";
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): never set here
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Result<Settings> read_settings(const SettingFlags& flags,
                               const Environment& environment,
                               const std::string& current_folder) {
  Settings settings;
  settings.root = find_workspace_root(flags.root, environment, current_folder);
  if (settings.root.value.empty()) return senseless(root_name.flag, "", "a folder");
  auto file = read_file(settings.root.value);
  if (!file) return file.error();
  Reader reader(environment, std::move(*file));
  reader.read_count(max_rows_name, flags.max_rows, settings.max_rows);
  reader.read_switch(read_only_name, flags.read_only, settings.read_only);
  reader.read_switch(cache_name, flags.cache, settings.cache);
  if (!reader.errors.empty()) return join(reader.errors);
  settings.cache_folder = cache_folder(environment);
  return settings;
}

std::vector<SettingLine> describe(const Settings& settings) {
  const auto on_or_off = [](bool value) { return std::string(value ? "true" : "false"); };
  return {
      {"root", settings.root.value, source_text(root_name, settings.root.source)},
      {"max_rows",
       std::to_string(settings.max_rows.value),
       source_text(max_rows_name, settings.max_rows.source)},
      {"read_only",
       on_or_off(settings.read_only.value),
       source_text(read_only_name, settings.read_only.source)},
      {"cache", on_or_off(settings.cache.value), source_text(cache_name, settings.cache.source)}};
}

}  // namespace notesdb
