#include "serving/host_settings.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "json/json_value.h"
#include "note/note.h"
#include "serving/json_text.h"
#include "serving/toml_entry.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

using Json = nlohmann::ordered_json;

// What a host reads as one of its servers, made of an earlier entry's other keys.
Json entry_of(const Host& host, Json made, const ServerEntry& entry) {
  const bool is_goose = host.shape == EntryShape::goose;
  // An entry that names no program is of a server elsewhere, and nothing in it fits.
  if (!made.is_object() || !made.contains(is_goose ? "cmd" : "command")) made = Json::object();
  const auto unless_there = [&](const char* key, Json value) {
    if (!made.contains(key)) made[key] = std::move(value);
  };
  switch (host.shape) {
    case EntryShape::command: break;
    case EntryShape::typed_command: made["type"] = "stdio"; break;
    case EntryShape::copilot:
      made["type"] = "local";
      unless_there("tools", Json::array({"*"}));
      break;
    case EntryShape::zed: unless_there("source", "custom"); break;
    case EntryShape::opencode: {
      made["type"] = "local";
      Json words = Json::array({entry.command});
      for (const std::string& argument : entry.arguments)
        words.push_back(argument);
      made["command"] = std::move(words);
      unless_there("enabled", true);
      return made;
    }
    case EntryShape::goose:
      made["name"] = entry.name;
      made["type"] = "stdio";
      unless_there("enabled", true);
      unless_there("timeout", 300);
      break;
  }
  made[is_goose ? "cmd" : "command"] = entry.command;
  made["args"] = entry.arguments;
  return made;
}

Error named(Error error, const Host& host) {
  error.message = host.id + "'s settings are " + error.message;
  return error;
}

// `.agents/mcp.json` may list servers without a key above them. With one, those would not be seen.
Result<void> check_wrapped(const Host& host, std::string_view settings) {
  if (host.id != "jazz" || !json_group(settings, host.servers_key).is_null()) return {};
  const Json servers = json_members(settings);
  if (servers.empty()) return {};
  return named({ErrorCode::malformed_file,
                "a list of servers without '" + host.servers_key + "', beside which '" +
                    servers.begin().key() + "' would be lost; put them under it",
                Map{}},
               host);
}

Result<std::string> with_json_entry(const Host& host,
                                    std::string_view settings,
                                    const ServerEntry& entry) {
  if (Result<void> wrapped = check_wrapped(host, settings); !wrapped) return wrapped.error();
  const Json made = entry_of(host, json_member(settings, host.servers_key, entry.name), entry);
  Result<std::string> changed = with_json_member(settings, host.servers_key, entry.name, made);
  if (changed) return changed;
  Error error = named(changed.error(), host);
  error.message += "; fix them, or add by hand: " + Json{{entry.name, made}}.dump();
  return error;
}

// Settings in YAML are a note without a body, edited as one.
Result<Note> yaml_note(const Host& host, std::string_view settings) {
  Result<Note> note = Note::parse(std::string(settings), NoteFormat::yaml);
  if (!note) return named(note.error(), host);
  const NoteField* group = note->find_field(host.servers_key);
  if (group != nullptr && !group->readable) {
    return named({ErrorCode::malformed_file, "not valid YAML at '" + group->key + "'", Map{}},
                 host);
  }
  return note;
}

Value yaml_group(const Host& host, const Note& note) {
  const Node* group = note.find(host.servers_key);
  return group == nullptr || !group->is_map() ? Value(Map{}) : read_untyped(*group);
}

Result<std::string> set_yaml_group(const Host& host, Note note, Value servers) {
  Column column;
  column.type = ColumnType::json;
  const Result<Edit> done = note.set(host.servers_key, std::move(servers), {&column, {}, false});
  if (!done) return named(done.error(), host);
  return note.bytes();
}

Result<std::string> with_yaml_entry(const Host& host,
                                    std::string_view settings,
                                    const ServerEntry& entry) {
  Result<Note> note = yaml_note(host, settings);
  if (!note) return note.error();
  Value servers = yaml_group(host, *note);
  const Value* before = servers.find(entry.name);
  const Json made = entry_of(host, to_json_tree(before == nullptr ? Value() : *before), entry);
  servers.set(entry.name, from_json_tree(made));
  return set_yaml_group(host, *std::move(note), std::move(servers));
}

TomlServer toml_server(const ServerEntry& entry) {
  return {entry.name, entry.command, entry.arguments};
}

// Whether an entry starts notesdb, and on which workspace.
void add_found(const std::string& name,
               const std::string& command,
               const std::vector<std::string>& arguments,
               std::vector<FoundEntry>& found) {
  const std::string program = command.substr(command.rfind('/') + 1);
  if (program != "notesdb" && program != "notesdb.exe") return;
  FoundEntry entry{name, ""};
  const auto root = std::find(arguments.begin(), arguments.end(), "--root");
  if (root != arguments.end() && root + 1 != arguments.end()) entry.root = *(root + 1);
  found.push_back(std::move(entry));
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& item : list)
    texts.push_back(item.is_string() ? item.get<std::string>() : std::string());
  return texts;
}

void add_found_json(const Json& servers, std::vector<FoundEntry>& found) {
  if (!servers.is_object()) return;
  for (const auto& [name, entry] : servers.items()) {
    if (!entry.is_object()) continue;
    const Json command = entry.value("command", entry.value("cmd", Json()));
    std::vector<std::string> words = texts_of(command);
    if (command.is_string()) words = {command.get<std::string>()};
    if (words.empty()) continue;
    for (std::string& argument : texts_of(entry.value("args", Json())))
      words.push_back(std::move(argument));
    add_found(name, words.front(), {words.begin() + 1, words.end()}, found);
  }
}

}  // namespace

const std::vector<Host>& hosts() {
  using enum SettingsFormat;
  using enum EntryShape;
  constexpr const char* xdg = "XDG_CONFIG_HOME";
  static const std::vector<Host> all{
      {"claude-code",
       "CLAUDE_CONFIG_DIR",
       "",
       ".claude.json",
       ".mcp.json",
       json,
       "mcpServers",
       command},
      {"claude-desktop",
       xdg,
       ".config",
       "Claude/claude_desktop_config.json",
       "",
       json,
       "mcpServers",
       command},
      {"codex",
       "CODEX_HOME",
       ".codex",
       "config.toml",
       ".codex/config.toml",
       toml,
       "mcp_servers",
       command,
       "10KiB"},
      {"copilot",
       "COPILOT_HOME",
       ".copilot",
       "mcp-config.json",
       "",
       json,
       "mcpServers",
       copilot,
       "18KiB"},
      {"cursor", "", ".cursor", "mcp.json", ".cursor/mcp.json", json, "mcpServers", command},
      {"gemini",
       "",
       ".gemini",
       "settings.json",
       ".gemini/settings.json",
       json,
       "mcpServers",
       command},
      {"goose", xdg, ".config", "goose/config.yaml", "", yaml, "extensions", goose},
      {"jazz",
       "",
       ".agents",
       "mcp.json",
       ".agents/mcp.json",
       json,
       "mcpServers",
       command,
       "",
       true},
      {"opencode",
       xdg,
       ".config",
       "opencode/opencode.json",
       "opencode.json",
       json,
       "mcp",
       opencode},
      {"vscode",
       xdg,
       ".config",
       "Code/User/mcp.json",
       ".vscode/mcp.json",
       json,
       "servers",
       typed_command},
      {"windsurf", "", ".codeium/windsurf", "mcp_config.json", "", json, "mcpServers", command},
      {"zed",
       xdg,
       ".config",
       "zed/settings.json",
       ".zed/settings.json",
       json,
       "context_servers",
       zed}};
  return all;
}

Result<Host> find_host(std::string_view id) {
  auto found = std::ranges::find(hosts(), id, &Host::id);
  if (found != hosts().end()) return *found;
  std::vector<std::string> ids;
  for (const Host& host : hosts())
    ids.push_back(host.id);
  return unknown_name(ErrorCode::invalid_argument, "host", id, ids);
}

Result<SettingsPlace> settings_place(
    const Host& host,
    Scope scope,
    const std::string& project_folder,
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (scope == Scope::project) {
    if (!host.project_file.empty())
      return SettingsPlace{project_folder + "/" + host.project_file, host.project_file};
    return Error{ErrorCode::invalid_argument,
                 host.id + " has no settings of a project; leave out --scope project",
                 Map{}};
  }
  const auto moved = host.variable.empty() ? std::nullopt : environment(host.variable);
  if (moved && !moved->empty())
    return SettingsPlace{*moved + "/" + host.file, "$" + host.variable + "/" + host.file};
  const auto home = environment("HOME");
  if (!home || home->empty()) {
    return Error{ErrorCode::invalid_argument,
                 "HOME is not set, so the settings of " + host.id + " cannot be found",
                 Map{}};
  }
  const std::string below = (host.folder.empty() ? "" : host.folder + "/") + host.file;
  return SettingsPlace{*home + "/" + below, "~/" + below};
}

Result<std::string> with_server_entry(const Host& host,
                                      std::string_view settings,
                                      const ServerEntry& entry) {
  if (host.format == SettingsFormat::json) return with_json_entry(host, settings, entry);
  if (host.format == SettingsFormat::yaml) return with_yaml_entry(host, settings, entry);
  Result<std::string> changed = with_toml_server(settings, host.servers_key, toml_server(entry));
  return changed ? changed : Result<std::string>(named(changed.error(), host));
}

Result<std::string> without_server_entry(const Host& host,
                                         std::string_view settings,
                                         const std::string& name) {
  if (host.format == SettingsFormat::yaml) {
    Result<Note> note = yaml_note(host, settings);
    if (!note) return note.error();
    Value servers = yaml_group(host, *note);
    if (servers.find(name) == nullptr) return std::string(settings);
    std::erase_if(servers.map(), [&](const Member& each) { return each.key == name; });
    return set_yaml_group(host, *std::move(note), std::move(servers));
  }
  Result<std::string> changed = host.format == SettingsFormat::json
                                    ? without_json_member(settings, host.servers_key, name)
                                    : without_toml_server(settings, host.servers_key, name);
  return changed ? changed : Result<std::string>(named(changed.error(), host));
}

Result<std::vector<FoundEntry>> notesdb_entries(const Host& host, std::string_view settings) {
  std::vector<FoundEntry> found;
  if (host.format == SettingsFormat::toml) {
    const auto servers = toml_servers(settings, host.servers_key);
    if (!servers) return named(servers.error(), host);
    for (const TomlServer& server : *servers)
      add_found(server.name, server.command, server.arguments, found);
  } else if (host.format == SettingsFormat::yaml) {
    const Result<Note> note = yaml_note(host, settings);
    if (!note) return note.error();
    add_found_json(to_json_tree(yaml_group(host, *note)), found);
  } else {
    add_found_json(json_group(settings, host.servers_key), found);
  }
  return found;
}

}  // namespace notesdb
