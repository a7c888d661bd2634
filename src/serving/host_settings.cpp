#include "serving/host_settings.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/line_diff.h"
#include "serving/json_text.h"

namespace notesdb {

namespace {

using Json = nlohmann::ordered_json;

Result<std::string> with_json_entry(const Host& host,
                                    std::string_view settings,
                                    const ServerEntry& entry) {
  Json made = json_member(settings, host.servers_key, entry.name);
  // An entry that names no program is of a server elsewhere, and nothing in it fits.
  if (!made.is_object() || !made.contains("command")) made = Json::object();
  if (host.id == "vscode") made["type"] = "stdio";
  made["command"] = entry.command;
  made["args"] = entry.arguments;
  Result<std::string> changed = with_json_member(settings, host.servers_key, entry.name, made);
  if (changed) return changed;
  return Error{ErrorCode::malformed_file,
               host.file + " is " + changed.error().message +
                   "; mend it, or add by hand: " + Json{{entry.name, made}}.dump()};
}

// TOML's basic strings are written as JSON's.
std::string toml_text(const std::string& text) {
  return Json(text).dump();
}

std::string toml_table(const ServerEntry& entry) {
  std::string arguments;
  for (const std::string& argument : entry.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + toml_text(argument);
  }
  return "[mcp_servers." + entry.name + "]\ncommand = " + toml_text(entry.command) + "\nargs = [" +
         arguments + "]\n";
}

bool begins_table(std::string_view line) {
  std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '[';
}

bool is_table_of(std::string_view line, const std::string& name) {
  std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos &&
         line.substr(first).starts_with("[mcp_servers." + name + "]");
}

// The table's own lines give way; other tables, also those below it, stay.
std::string with_toml_entry(std::string_view settings, const ServerEntry& entry) {
  std::string result;
  bool replaced = false;
  bool inside = false;
  for (std::string_view line : split_lines(settings)) {
    if (begins_table(line)) inside = is_table_of(line, entry.name);
    if (inside && !replaced) {
      result += toml_table(entry);
      replaced = true;
    }
    bool is_blank = line.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (!inside || is_blank) result += line;
  }
  if (replaced) return result;
  if (!result.empty() && !result.ends_with('\n')) result += '\n';
  return result + (result.empty() ? "" : "\n") + toml_table(entry);
}

}  // namespace

const std::vector<Host>& hosts() {
  static const std::vector<Host> all{
      {"claude-code", ".claude.json", SettingsFormat::json, "mcpServers"},
      {"claude-desktop",
       ".config/Claude/claude_desktop_config.json",
       SettingsFormat::json,
       "mcpServers"},
      {"cursor", ".cursor/mcp.json", SettingsFormat::json, "mcpServers"},
      {"vscode", ".config/Code/User/mcp.json", SettingsFormat::json, "servers"},
      {"codex", ".codex/config.toml", SettingsFormat::toml, "mcp_servers"},
      {"gemini", ".gemini/settings.json", SettingsFormat::json, "mcpServers"}};
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

Result<std::string> with_server_entry(const Host& host,
                                      std::string_view settings,
                                      const ServerEntry& entry) {
  if (host.format == SettingsFormat::toml) return with_toml_entry(settings, entry);
  return with_json_entry(host, settings, entry);
}

}  // namespace notesdb
