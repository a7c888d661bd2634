#include "database/settings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>

#include <boost/filesystem.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "database/cache_place.h"
#include "files/descriptor.h"
#include "files/failure.h"
#include "files/names.h"
#include "files/writable_path.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

namespace fs = boost::filesystem;

// A link counts, so that the one who reads the settings refuses it by name.
fs::path nearest_root(const fs::path& start) {
  boost::system::error_code ignored;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    const fs::file_type kind = fs::symlink_status(folder / "notesdb.yaml", ignored).type();
    if (kind == fs::regular_file || kind == fs::symlink_file) return folder;
    if (folder == folder.parent_path() || folder.empty()) return start;
  }
}

}  // namespace

Setting<std::string> find_workspace_root(const std::optional<std::string>& root_flag,
                                         const Environment& environment,
                                         const std::string& current_folder) {
  const auto meant = [&](const std::string& given) {
    if (given.empty()) return given;
    const fs::path path(given);
    return (path.is_absolute() ? path : fs::path(current_folder) / path)
        .lexically_normal()
        .string();
  };
  if (root_flag) return {meant(*root_flag), SettingSource::flag};
  const auto variable = environment("NOTESDB_ROOT");
  if (variable && !variable->empty()) return {meant(*variable), SettingSource::environment};
  return {nearest_root(current_folder).string(), SettingSource::fallback};
}

namespace {

constexpr std::string_view file_name = "notesdb.yaml";

struct SettingName {
  std::string_view name;      // in notesdb.yaml and config show
  std::string_view flag;      //
  std::string_view variable;  //
};
constexpr SettingName root_name{"root", "--root", "NOTESDB_ROOT"};
constexpr SettingName max_rows_name{"max_rows", "--max-rows", "NOTESDB_MAX_ROWS"};
constexpr SettingName max_bytes_name{"max_bytes", "--max-bytes", "NOTESDB_MAX_BYTES"};
constexpr SettingName confirm_name{"confirm", "--confirm", "NOTESDB_CONFIRM"};
constexpr SettingName read_only_name{"read_only", "--read-only", "NOTESDB_READ_ONLY"};
constexpr SettingName cache_name{"cache", "--cache", "NOTESDB_CACHE"};
constexpr SettingName query_timeout_name{
    "query_timeout", "--query-timeout", "NOTESDB_QUERY_TIMEOUT"};
constexpr SettingName query_memory_name{"query_memory", "--query-memory", "NOTESDB_QUERY_MEMORY"};
constexpr SettingName trash_days_name{"trash_days", "--trash-days", "NOTESDB_TRASH_DAYS"};
constexpr SettingName trash_bytes_name{"trash_bytes", "--trash-bytes", "NOTESDB_TRASH_BYTES"};
// Of the workspace alone: no flag and no variable. In the file they stand below `links`.
constexpr SettingName links_flavour_name{"links.flavour", "", ""};
constexpr SettingName links_root_name{"links.root", "", ""};
constexpr SettingName links_format_name{"links.format", "", ""};
constexpr std::string_view links_prefix = "links.";

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
    const auto variable =
        name.variable.empty() ? std::nullopt : environment_(std::string(name.variable));
    if (variable && !variable->empty()) {
      return Found{*variable, SettingSource::environment, std::string(name.variable)};
    }
    const auto line = file_.find(std::string(name.name));
    if (line == file_.end()) return std::nullopt;
    return Found{line->second,
                 SettingSource::file,
                 std::string(name.name) + " in " + std::string(file_name)};
  }

  // `wanted` says what `parse` takes.
  template <typename T>
  void read(const SettingName& name,
            const std::optional<std::string>& flag,
            std::optional<T> (*parse)(std::string_view),
            std::string_view wanted,
            Setting<T>& setting) {
    const auto found = find(name, flag);
    if (!found) return;
    const auto value = parse(found->text);
    if (!value) {
      errors.push_back(senseless(found->place, found->text, wanted));
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

// A folder that nobody named, found because it holds notesdb.yaml, counts if nobody else can have
// put that file there. Passing it over would change what a command is about without a word.
Result<void> check_found(const Setting<std::string>& root, const Descriptor& file) {
  if (root.source != SettingSource::fallback || !file) return {};
  struct stat of_folder {};
  struct stat of_file {};
  if (::stat(root.value.c_str(), &of_folder) != 0 || ::fstat(file.get(), &of_file) != 0)
    return failure(errno, "read", file_name);
  const auto folder_problem = find_distrust(of_folder, Trusted::us_or_root);
  const auto file_problem = find_distrust(of_file, Trusted::us_or_root);
  if (!folder_problem && !file_problem) return {};
  const std::string folder = escape_controls(root.value);
  const std::string problem = file_problem
                                  ? std::string(file_name) + " in " + folder + " " + *file_problem
                                  : "the folder " + folder + ", which holds a " +
                                        std::string(file_name) + ", " + *folder_problem;
  return Error{ErrorCode::path_not_allowed,
               problem + ", so it is not taken for the workspace; pass --root " + folder +
                   " to use it all the same, or --root with the folder you mean",
               Map{}};
}

// What the file says; nothing where there is none. One that cannot be read may forbid writing, so
// nobody continues without it.
Result<std::string> bytes_of_file(const Setting<std::string>& root) {
  constexpr std::uint64_t usual_length = 1'000;
  const std::string path = root.value + "/" + std::string(file_name);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return std::string();
  if (!file && errno == ELOOP) {
    return Error{ErrorCode::path_not_allowed,
                 std::string(file_name) + " in " + escape_controls(root.value) +
                     " is a symbolic link, not followed; put the file itself there",
                 Map{}};
  }
  if (auto trusted = check_found(root, file); !trusted) return trusted.error();
  std::string bytes;
  const int error = file ? read_whole(file.get(), max_file, bytes, usual_length) : errno;
  if (error != 0) return failure(error, "read", file_name);
  return bytes;
}

const std::vector<std::string>& keys_of_file() {
  static const std::vector<std::string> known = {"max_rows",
                                                 "max_bytes",
                                                 "confirm",
                                                 "read_only",
                                                 "cache",
                                                 "query_timeout",
                                                 "query_memory",
                                                 "trash_days",
                                                 "trash_bytes",
                                                 "links.flavour",
                                                 "links.root",
                                                 "links.format"};
  return known;
}

// The members of `links`, each as a setting of its own.
std::optional<Error> read_links(const Node& links, std::map<std::string, std::string>& settings) {
  const Value value = read_untyped(links);
  if (!value.is_map()) {
    return senseless("links in " + std::string(file_name),
                     to_display(value),
                     "a map with flavour, root and format");
  }
  for (const Member& member : value.map()) {
    const std::string key = std::string(links_prefix) + member.key;
    const std::vector<std::string>& known = keys_of_file();
    if (std::find(known.begin(), known.end(), key) == known.end())
      return unknown_name(ErrorCode::invalid_argument, "setting in notesdb.yaml", key, known);
    if (!member.value.is_text())
      return senseless(key + " in " + std::string(file_name), to_display(member.value), "a text");
    settings[key] = member.value.text();
  }
  return std::nullopt;
}

Result<std::map<std::string, std::string>> read_file(const Setting<std::string>& root) {
  std::map<std::string, std::string> settings;
  auto bytes = bytes_of_file(root);
  if (!bytes) return bytes.error();
  const auto note = Note::parse(*std::move(bytes), NoteFormat::yaml);
  if (!note) return in_file(note.error());
  const std::vector<std::string>& known = keys_of_file();
  for (const NoteField& field : note->fields()) {
    if (field.key == "links" && field.readable) {
      if (auto error = read_links(field.node, settings)) return *std::move(error);
      continue;
    }
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

std::string_view name_of(Confirm confirm) {
  switch (confirm) {
    case Confirm::ask: return "ask";
    case Confirm::expect_count: return "expect_count";
    case Confirm::never: return "never";
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

namespace {

constexpr std::string_view by_marker = "auto";

std::optional<std::string> parse_flavour(std::string_view text) {
  if (text != by_marker && !parse_link_flavour(text)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> parse_format(std::string_view text) {
  if (text != by_marker && !parse_link_format(text)) return std::nullopt;
  return std::string(text);
}

// A folder of the workspace.
std::optional<std::string> parse_folder(std::string_view text) {
  while (text.size() > 1 && text.ends_with('/'))
    text.remove_suffix(1);
  if (text.empty() || !check_path(text)) return std::nullopt;
  return std::string(text);
}

std::string flavour_choices() {
  std::string choices(by_marker);
  for (const std::string& name : link_flavour_names())
    choices += ", " + name;
  return choices;
}

// A size in bytes; one or two would hold no row.
std::optional<std::uint64_t> parse_max_bytes(std::string_view text) {
  constexpr std::uint64_t least = std::uint64_t{1} << 10U;
  const auto size = parse_size(text);
  return size && *size >= least && *size <= largest_max_bytes ? size : std::nullopt;
}

std::optional<Confirm> parse_confirm(std::string_view text) {
  for (const Confirm confirm : {Confirm::ask, Confirm::expect_count, Confirm::never})
    if (text == name_of(confirm)) return confirm;
  return std::nullopt;
}

void read_values(Reader& reader, const SettingFlags& flags, Settings& settings) {
  constexpr std::string_view count = "a whole number of at least 1";
  constexpr std::string_view on_or_off = "true or false (on, off, 1, 0)";
  reader.read(max_rows_name, flags.max_rows, parse_count, count, settings.max_rows);
  reader.read(max_bytes_name,
              flags.max_bytes,
              parse_max_bytes,
              "a size of 1KiB to 256KiB, such as 32KiB",
              settings.max_bytes);
  reader.read(
      confirm_name, flags.confirm, parse_confirm, "ask, expect_count or never", settings.confirm);
  reader.read(read_only_name, flags.read_only, parse_switch, on_or_off, settings.read_only);
  reader.read(cache_name, flags.cache, parse_switch, on_or_off, settings.cache);
  reader.read(query_timeout_name,
              flags.query_timeout,
              parse_duration,
              "a length of time such as 500ms, 30s, 5min or 1h",
              settings.query_timeout);
  reader.read(query_memory_name,
              flags.query_memory,
              parse_size,
              "a size such as 64MiB or 1GiB",
              settings.query_memory);
  reader.read(trash_days_name, flags.trash_days, parse_count, count, settings.trash_days);
  reader.read(trash_bytes_name, flags.trash_bytes, parse_count, count, settings.trash_bytes);
  reader.read(links_flavour_name, {}, parse_flavour, flavour_choices(), settings.links_flavour);
  reader.read(
      links_root_name, {}, parse_folder, "auto or a folder of the workspace", settings.links_root);
  reader.read(links_format_name,
              {},
              parse_format,
              "auto, shortest, absolute or relative",
              settings.links_format);
}

// A text that was read as the value of the setting, as the file has it.
Value value_in_file(const std::string& key, const std::string& text) {
  for (const SettingName& name :
       {query_timeout_name, query_memory_name, max_bytes_name, confirm_name})
    if (key == name.name) return text;
  if (key.starts_with(links_prefix)) return text;
  if (key == read_only_name.name || key == cache_name.name)
    return parse_switch(text).value_or(false);
  return parse_count(text).value_or(1);
}

}  // namespace

Result<std::string> with_setting(std::string file,
                                 const std::string& key,
                                 const std::string& value) {
  const std::vector<std::string>& known = keys_of_file();
  if (std::find(known.begin(), known.end(), key) == known.end())
    return unknown_name(ErrorCode::invalid_argument, "setting", key, known);
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  Reader reader(nothing, {{key, value}});
  Settings judged;
  read_values(reader, {}, judged);
  if (!reader.errors.empty()) return join(reader.errors);
  auto note = Note::parse(std::move(file), NoteFormat::yaml);
  if (!note) return in_file(note.error());
  std::string_view member = key;
  Value written = value_in_file(key, value);
  if (key.starts_with(links_prefix)) {
    const Node* links = note->find("links");
    Value whole = links == nullptr ? Value(Map{}) : read_untyped(*links);
    if (!whole.is_map()) whole = Map{};
    whole.set(member.substr(links_prefix.size()), std::move(written));
    written = std::move(whole);
    member = "links";
  }
  if (auto edit = note->set(member, written); !edit) return in_file(edit.error());
  return note->bytes();
}

Result<Settings> read_settings(const SettingFlags& flags,
                               const Environment& environment,
                               const std::string& current_folder) {
  Settings settings;
  settings.root = find_workspace_root(flags.root, environment, current_folder);
  if (settings.root.value.empty()) return senseless(root_name.flag, "", "a folder");
  auto file = read_file(settings.root);
  if (!file) return file.error();
  Reader reader(environment, std::move(*file));
  read_values(reader, flags, settings);
  if (!reader.errors.empty()) return join(reader.errors);
  const bool is_cached = settings.cache.value && cache_problem_of(environment).empty();
  if (is_cached) settings.cache_folder = cache_folder_of(environment);
  return settings;
}

LinkSettings link_settings(const Settings& settings) {
  LinkSettings links;
  links.flavour = parse_link_flavour(settings.links_flavour.value);
  if (settings.links_root.value != by_marker) links.root = settings.links_root.value;
  links.format = parse_link_format(settings.links_format.value);
  return links;
}

std::vector<SettingLine> describe(const Settings& settings) {
  const auto on_or_off = [](bool value) { return std::string(value ? "true" : "false"); };
  return {
      {"root", settings.root.value, source_text(root_name, settings.root.source)},
      {"max_rows",
       std::to_string(settings.max_rows.value),
       source_text(max_rows_name, settings.max_rows.source)},
      {"max_bytes",
       size_text(settings.max_bytes.value),
       source_text(max_bytes_name, settings.max_bytes.source)},
      {"confirm",
       std::string(name_of(settings.confirm.value)),
       source_text(confirm_name, settings.confirm.source)},
      {"read_only",
       on_or_off(settings.read_only.value),
       source_text(read_only_name, settings.read_only.source)},
      {"cache", on_or_off(settings.cache.value), source_text(cache_name, settings.cache.source)},
      {"query_timeout",
       duration_text(settings.query_timeout.value),
       source_text(query_timeout_name, settings.query_timeout.source)},
      {"query_memory",
       size_text(settings.query_memory.value),
       source_text(query_memory_name, settings.query_memory.source)},
      {"trash_days",
       std::to_string(settings.trash_days.value),
       source_text(trash_days_name, settings.trash_days.source)},
      {"trash_bytes",
       std::to_string(settings.trash_bytes.value),
       source_text(trash_bytes_name, settings.trash_bytes.source)},
      {"links.flavour",
       settings.links_flavour.value,
       source_text(links_flavour_name, settings.links_flavour.source)},
      {"links.root",
       settings.links_root.value,
       source_text(links_root_name, settings.links_root.source)},
      {"links.format",
       settings.links_format.value,
       source_text(links_format_name, settings.links_format.source)}};
}

}  // namespace notesdb
