#include "serving/toml_entry.h"

#include <algorithm>
#include <optional>

// Parsed without exceptions, so that a mistake is a value with a place.
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "core/text.h"

namespace notesdb {

namespace {

Error broken(const toml::parse_error& error) {
  const auto place = error.source().begin;
  return {ErrorCode::malformed_file,
          "not valid TOML: line " + std::to_string(place.line) + ", column " +
              std::to_string(place.column) + ": " + std::string(error.description()),
          Map{}};
}

Error not_in_one_place() {
  return {ErrorCode::malformed_file, "not TOML that can be changed in one place", Map{}};
}

Result<toml::table> parse(std::string_view text) {
  toml::parse_result result = toml::parse(text);
  if (!result) return broken(result.error());
  return std::move(result).table();
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items)
    text += (text.size() == 1 ? "" : ", ") + quoted_string(item);
  return text + "]";
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return bare ? key : quoted_string(key);
}

// toml++ counts characters of a line from 1; a file is made of bytes.
std::size_t offset_of(std::string_view text, const toml::source_position& place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
      ++at;
  }
  return at;
}

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Piece piece_of(std::string_view text, const toml::node& node) {
  return {offset_of(text, node.source().begin), offset_of(text, node.source().end)};
}

std::string replaced(std::string_view text, Piece piece, const std::string& with) {
  return std::string(text.substr(0, piece.begin)) + with + std::string(text.substr(piece.end));
}

bool begins_with_bracket(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] == '[';
}

// Whether a table has a line of its own, with its name between brackets.
bool has_header(std::string_view text, const toml::table& table) {
  return !table.is_inline() && begins_with_bracket(text, offset_of(text, table.source().begin));
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// One key of a table that is there: its value's bytes, or a new line or member.
std::optional<std::string> with_key(std::string_view text,
                                    const toml::table& table,
                                    const std::string& key,
                                    const std::string& value) {
  if (const toml::node* old = table.get(key)) {
    if (const toml::table* inner = old->as_table(); inner != nullptr && !inner->is_inline())
      return std::nullopt;
    return replaced(text, piece_of(text, *old), value);
  }
  if (table.is_inline()) {
    const std::size_t inside = piece_of(text, table).begin + 1;
    const std::string comma = table.empty() ? " " : ",";
    return replaced(text, {inside, inside}, " " + key + " = " + value + comma);
  }
  if (!has_header(text, table)) return std::nullopt;
  const toml::node* command = table.get("command");
  const std::size_t above =
      command == nullptr ? offset_of(text, table.source().begin) : piece_of(text, *command).end;
  const std::size_t next = end_of_line(text, above);
  const std::string before = next > 0 && text[next - 1] != '\n' ? "\n" : "";
  return replaced(text, {next, next}, before + key + " = " + value + "\n");
}

std::string new_table(std::string_view text, const std::string& group, const TomlServer& server) {
  std::string result(text);
  if (!result.empty() && !result.ends_with('\n')) result += '\n';
  if (!result.empty()) result += '\n';
  return result + "[" + key_text(group) + "." + key_text(server.name) +
         "]\ncommand = " + quoted_string(server.command) + "\nargs = " + list_of(server.arguments) +
         "\n";
}

toml::array array_of(const std::vector<std::string>& items) {
  toml::array array;
  for (const std::string& item : items)
    array.push_back(item);
  return array;
}

Result<std::string> if_equal(const std::string& text, const toml::table& expected) {
  const Result<toml::table> after = parse(text);
  if (!after || !(*after == expected)) return not_in_one_place();
  return text;
}

// The text with the entry put in, before it is compared with what is wanted.
std::optional<std::string> put(std::string_view text,
                               const toml::table& tree,
                               const std::string& group,
                               const TomlServer& server) {
  const toml::node* servers = tree.get(group);
  if (servers == nullptr) return new_table(text, group, server);
  const toml::table* table = servers->as_table();
  if (table == nullptr) return std::nullopt;
  const toml::node* entry = table->get(server.name);
  if (entry == nullptr && !table->is_inline()) return new_table(text, group, server);
  if (entry == nullptr) {
    return with_key(text,
                    *table,
                    key_text(server.name),
                    "{ command = " + quoted_string(server.command) +
                        ", args = " + list_of(server.arguments) + " }");
  }
  if (entry->as_table() == nullptr) return std::nullopt;
  auto first = with_key(text, *entry->as_table(), "command", quoted_string(server.command));
  if (!first) return std::nullopt;
  const Result<toml::table> again = parse(*first);
  if (!again) return std::nullopt;
  const toml::table* now = again->get(group)->as_table()->get(server.name)->as_table();
  return with_key(*first, *now, "args", list_of(server.arguments));
}

// The places where headers of tables begin, in order.
void collect_headers(std::string_view text,
                     const toml::table& table,
                     std::vector<std::size_t>& at) {
  for (const auto& [key, node] : table) {
    if (const toml::table* inner = node.as_table()) {
      if (has_header(text, *inner)) at.push_back(offset_of(text, inner->source().begin));
      collect_headers(text, *inner, at);
    } else if (const toml::array* list = node.as_array()) {
      for (const toml::node& item : *list) {
        const toml::table* each = item.as_table();
        if (each == nullptr || each->is_inline()) continue;
        at.push_back(offset_of(text, each->source().begin));
        collect_headers(text, *each, at);
      }
    }
  }
}

std::string without_headers(std::string_view text,
                            const toml::table& tree,
                            const toml::table& entry) {
  std::vector<std::size_t> all;
  collect_headers(text, tree, all);
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> ours;
  if (has_header(text, entry)) ours.push_back(offset_of(text, entry.source().begin));
  collect_headers(text, entry, ours);
  std::sort(ours.rbegin(), ours.rend());
  std::string result(text);
  for (const std::size_t begin : ours) {
    const auto next = std::upper_bound(all.begin(), all.end(), begin);
    const std::size_t end = next == all.end() ? result.size() : *next;
    result.erase(begin, end - begin);
    std::erase_if(all, [&](std::size_t each) { return each == begin; });
    for (std::size_t& each : all)
      if (each > begin) each -= end - begin;
  }
  return result;
}

// A member of an inline table, with the comma that parts it from its neighbours.
std::string without_member(std::string_view text, const toml::key& key, const toml::node& value) {
  Piece piece{offset_of(text, key.source().begin), piece_of(text, value).end};
  const std::size_t behind = text.find_first_not_of(" \t", piece.end);
  if (behind != std::string_view::npos && text[behind] == ',') {
    piece.end = text.find_first_not_of(" \t", behind + 1);
  } else if (const std::size_t before = text.find_last_not_of(" \t", piece.begin - 1);
             before != std::string_view::npos && text[before] == ',') {
    piece.begin = before;
  }
  return replaced(text, piece, "");
}

}  // namespace

Result<std::string> with_toml_server(std::string_view text,
                                     const std::string& group,
                                     const TomlServer& server) {
  Result<toml::table> tree = parse(text);
  if (!tree) return tree.error();
  const std::optional<std::string> after = put(text, *tree, group, server);
  if (!after) return not_in_one_place();
  toml::table& servers = *tree->emplace<toml::table>(group).first->second.as_table();
  toml::table& entry = *servers.emplace<toml::table>(server.name).first->second.as_table();
  entry.insert_or_assign("command", server.command);
  entry.insert_or_assign("args", array_of(server.arguments));
  return if_equal(*after, *tree);
}

Result<std::string> without_toml_server(std::string_view text,
                                        const std::string& group,
                                        const std::string& name) {
  Result<toml::table> tree = parse(text);
  if (!tree) return tree.error();
  toml::node* servers = tree->get(group);
  toml::table* table = servers == nullptr ? nullptr : servers->as_table();
  if (table == nullptr || !table->contains(name)) return std::string(text);
  const auto entry = table->find(name);
  const toml::table* inner = entry->second.as_table();
  std::string after;
  if (table->is_inline() || inner == nullptr || inner->is_inline()) {
    after = without_member(text, entry->first, entry->second);
    if (!table->is_inline() && inner != nullptr) {  // a line `name = {...}` of its own
      const std::size_t at = offset_of(text, entry->first.source().begin);
      after = replaced(text, {at, end_of_line(text, piece_of(text, *inner).end)}, "");
    }
  } else {
    after = without_headers(text, *tree, *inner);
  }
  table->erase(name);
  const Result<toml::table> now = parse(after);
  if (!now) return not_in_one_place();
  // A group that is written by its entries alone goes with the last of them.
  if (table->empty() && !now->contains(group)) tree->erase(group);
  return if_equal(after, *tree);
}

Result<std::vector<TomlServer>> toml_servers(std::string_view text, const std::string& group) {
  Result<toml::table> tree = parse(text);
  if (!tree) return tree.error();
  std::vector<TomlServer> found;
  const toml::node* servers = tree->get(group);
  if (servers == nullptr || servers->as_table() == nullptr) return found;
  for (const auto& [name, node] : *servers->as_table()) {
    const toml::table* entry = node.as_table();
    if (entry == nullptr) continue;
    TomlServer server{std::string(name.str()), (*entry)["command"].value_or(std::string()), {}};
    if (server.command.empty()) continue;
    if (const toml::array* arguments = (*entry)["args"].as_array()) {
      for (const toml::node& argument : *arguments)
        server.arguments.push_back(argument.value_or(std::string()));
    }
    found.push_back(std::move(server));
  }
  return found;
}

}  // namespace notesdb
