#include "note/map_edit.h"

#include <algorithm>
#include <vector>

#include "note/note.h"
#include "yaml/field_split.h"
#include "yaml/flow_items.h"
#include "yaml/value_writer.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr auto none = npos;

// Lines without `width` spaces in front; the first line's may be anything. Empty where a line with
// text has fewer.
std::optional<std::string> dedented(std::string_view lines, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    const std::string_view line = lines.substr(at, end - at);
    const bool is_blank = line.find_first_not_of(" \r\n") == npos;
    const bool is_indented = at == 0 || line.find_first_not_of(' ') >= width;
    if (!is_blank && !is_indented) return std::nullopt;
    out += line.substr(is_indented ? std::min(width, line.size()) : 0);
    at = end;
  }
  return out;
}

std::string indented(std::string_view lines, std::string_view first, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    const std::string_view line = lines.substr(at, end - at);
    const bool is_blank = line.find_first_not_of(" \r\n") == npos;
    if (at == 0) {
      out += first;
    } else if (!is_blank) {
      out.append(width, ' ');
    }
    out += line;
    at = end;
  }
  return out;
}

std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const Member& member : map)
    keys.push_back(member.key);
  return keys;
}

bool contains(const std::vector<std::string>& keys, const std::string& key) {
  return std::ranges::find(keys, key) != keys.end();
}

// For each key of `after` the one of `before` that it stays or was called before, or none.
std::vector<std::size_t> match_keys(const std::vector<std::string>& before,
                                    const std::vector<std::string>& after) {
  std::vector<std::size_t> match(after.size(), none);
  for (std::size_t i = 0; i < after.size(); ++i) {
    auto found = std::ranges::find(before, after[i]);
    if (found != before.end()) {
      match[i] = static_cast<std::size_t>(found - before.begin());
    } else if (before.size() == after.size() && !contains(after, before[i])) {
      match[i] = i;
    }
  }
  return match;
}

// The members of a map that is a note by itself.
bool edit_members(Note& note, const Map& after, const Column* column) {
  const std::vector<std::string> before = note.keys();
  const std::vector<std::string> order = keys_of(after);
  const std::vector<std::size_t> match = match_keys(before, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (match[i] != none && !note.rename_key(before[match[i]], order[i])) return false;
  }
  for (const std::string& key : note.keys()) {
    if (!contains(order, key) && !note.remove(key)) return false;
  }
  return std::ranges::all_of(after, [&](const Member& member) {
    return note.set(member.key, member.value, {column, order}).ok();
  });
}

std::optional<std::string> edit_lines(std::string_view lines,
                                      std::size_t width,
                                      const Map& after,
                                      const Column* column) {
  const auto inner = dedented(lines, width);
  if (!inner || after.empty()) return std::nullopt;
  auto note = Note::parse(*inner, NoteFormat::yaml);
  const bool is_whole =
      note && note->issues().empty() && indented(*inner, lines.substr(0, width), width) == lines;
  if (!is_whole || !edit_members(*note, after, column)) return std::nullopt;
  return indented(note->bytes(), lines.substr(0, width), width);
}

// A value after an invented key, edited as the field that it then is.
std::optional<std::string> edit_as_field(std::string_view text,
                                         const Value& after,
                                         const Column* column) {
  constexpr std::string_view key = "k:";
  auto note = Note::parse(std::string(key) + std::string(text), NoteFormat::yaml);
  if (!note || !note->issues().empty() || note->fields().size() != 1) return std::nullopt;
  if (!note->set("k", after, {column, {}})) return std::nullopt;
  return note->bytes().substr(key.size());
}

// Where the value of a member between braces begins: after the colon and the spaces.
std::optional<std::size_t> value_begin(std::string_view member) {
  std::size_t at = 0;
  if (member.starts_with('"') || member.starts_with('\'')) {
    const auto end = end_of_enclosed(member, 0);
    if (!end) return std::nullopt;
    at = *end;
  }
  const std::size_t colon = member.find(':', at);
  if (colon == npos) return std::nullopt;
  return std::min(member.find_first_not_of(" \t\r\n", colon + 1), member.size());
}

bool is_enclosed(std::string_view text) {
  return text.starts_with('{') || text.starts_with('[');
}

// One member between braces, changed from `before` to `after`.
std::optional<std::string> edit_flow_member(std::string_view text,
                                            const Member& before,
                                            const Member& after,
                                            const Column* column,
                                            NodeStyle style) {
  const auto begin = value_begin(text);
  if (!begin) return std::nullopt;
  std::string out(text.substr(0, *begin));
  if (before.key != after.key) {
    const std::string key = write_flow(Map{{after.key, nullptr}}, nullptr, NodeStyle::plain);
    out = key.substr(1, key.find_last_of(':') - 1) + out.substr(out.find_last_of(':'));
  }
  const std::string_view value = text.substr(*begin);
  if (before.value == after.value) return out += value;
  if (out.ends_with(':')) out += ' ';
  if (is_enclosed(value)) {
    if (auto edited = edit_enclosed(value, after.value, column)) return out += *edited;
  }
  const bool is_quoted = value.starts_with('"') || value.starts_with('\'');
  if (is_quoted) style = value[0] == '"' ? NodeStyle::double_quoted : NodeStyle::single_quoted;
  return out += write_flow(after.value, column, style);
}

}  // namespace

std::optional<std::string> edit_block_map(std::string_view block,
                                          const Map& after,
                                          const Column* column) {
  const std::size_t width = block.find_first_not_of(" \r\n");
  if (width == npos) return std::nullopt;
  const std::size_t line = block.rfind('\n', width);
  if (line != npos) return std::nullopt;  // a blank line comes first
  return edit_lines(block, width, after, column);
}

std::optional<std::string> edit_flow_map(std::string_view text,
                                         const Map& before,
                                         const Map& after,
                                         const Column* column,
                                         NodeStyle style) {
  const auto flow = cut_flow(text);
  if (!flow || flow->items.size() != before.size() || before.empty() || after.empty()) {
    return std::nullopt;
  }
  const std::vector<std::size_t> match = match_keys(keys_of(before), keys_of(after));
  std::string out(flow->before[0]);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i > 0) out += flow->separator();
    if (match[i] == none) {
      const std::string fresh = write_flow(Map{after[i]}, column, NodeStyle::plain);
      out += fresh.substr(1, fresh.size() - 2);
      continue;
    }
    auto edited =
        edit_flow_member(flow->items[match[i]], before[match[i]], after[i], column, style);
    if (!edited) return std::nullopt;
    out += *edited;
  }
  return out += flow->closing;
}

std::optional<std::string> edit_block_item(std::string_view item,
                                           const Value& after,
                                           const Column* column) {
  const std::size_t dash = item.find('-');
  const std::size_t text = item.find_first_not_of(' ', dash + 1);
  const bool is_bare = text == npos || item[text] == '\r' || item[text] == '\n';
  if (!is_bare && !is_enclosed(item.substr(text)) && after.is_map()) {
    if (auto edited = edit_lines(item, text, after.map(), column)) return edited;
  }
  auto edited = edit_as_field(item.substr(dash + 1), after, column);
  if (!edited) return std::nullopt;
  return std::string(item.substr(0, dash + 1)) + *edited;
}

std::optional<std::string> edit_enclosed(std::string_view text,
                                         const Value& after,
                                         const Column* column) {
  auto edited = edit_as_field(' ' + std::string(text), after, column);
  if (!edited || !edited->starts_with(' ')) return std::nullopt;
  return edited->substr(1);
}

}  // namespace notesdb
