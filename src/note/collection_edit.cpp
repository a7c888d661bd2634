#include "note/collection_edit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "note/note.h"
#include "yaml/field_split.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr auto none = npos;  // of a place

std::size_t end_of_flow_item(std::string_view text, std::size_t at) {
  while (at + 1 < text.size() && text[at] != ',') {
    bool enclosed = text[at] == '[' || text[at] == '{' || text[at] == '"' || text[at] == '\'';
    bool first = enclosed && std::string_view(" \n\r\t,[{:").find(text[at - 1]) != npos;
    auto end = first ? end_of_enclosed(text, at) : std::nullopt;
    at = end ? *end : at + 1;
  }
  return at;
}

// A list or a map between brackets in pieces.
//
// The items stand without spaces around them; what stands before each (the bracket, commas,
// spaces) and after the last is kept beside them, so that an edit may put all of it back.
struct FlowItems {
  std::vector<std::string_view> items;   // of a map: key, colon and value
  std::vector<std::string_view> before;  // of each item
  std::string_view closing;
  std::string_view separator() const { return before.size() > 1 ? before[1] : ", "; }
};

// Empty where comments stand between the brackets.
std::optional<FlowItems> cut_flow(std::string_view text) {
  FlowItems flow;
  if (text.find('#') != npos && text.find('\n') != npos) return std::nullopt;
  std::size_t end = 0;
  std::size_t at = text.find_first_not_of(" \t\r\n", 1);
  while (at + 1 < text.size()) {
    flow.before.push_back(text.substr(end, at - end));
    std::size_t comma = end_of_flow_item(text, at);
    end = text.find_last_not_of(" \t\r\n", comma - 1) + 1;
    flow.items.push_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(" \t\r\n,", end), text.size() - 1);
  }
  flow.closing = text.substr(end);
  return flow;
}

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

// A list or map between brackets as another value.
std::optional<std::string> edit_enclosed(std::string_view text,
                                         const Value& after,
                                         const Column* column) {
  auto edited = edit_as_field(' ' + std::string(text), after, column);
  if (!edited || !edited->starts_with(' ')) return std::nullopt;
  return edited->substr(1);
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

namespace {

// The lines of one item of a block list, from its dash on, with another value.
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

constexpr std::size_t max_table = 1'000'000;

// For each item of `after` the item of `before` that stays as it, in rising order, or none.
// Ends that agree are matched first; between them the longest common sequence is found.
std::vector<std::size_t> match_items(const List& before, const List& after) {
  std::vector<std::size_t> match(after.size(), none);
  std::size_t begin = 0;
  std::size_t shorter = std::min(before.size(), after.size());
  while (begin < shorter && before[begin] == after[begin]) {
    match[begin] = begin;
    ++begin;
  }
  std::size_t tail = 0;
  while (tail < shorter - begin &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
    match[after.size() - tail] = before.size() - tail;
  }
  std::size_t rows = before.size() - tail - begin;
  std::size_t columns = after.size() - tail - begin;
  if (rows == 0 || columns == 0 || rows * columns > max_table) return match;
  std::vector<std::size_t> longest((rows + 1) * (columns + 1));
  auto at = [&](std::size_t r, std::size_t c) -> std::size_t& {
    return longest[r * (columns + 1) + c];
  };
  auto same = [&](std::size_t r, std::size_t c) { return before[begin + r] == after[begin + c]; };
  for (std::size_t r = rows; r-- > 0;)
    for (std::size_t c = columns; c-- > 0;)
      at(r, c) = same(r, c) ? at(r + 1, c + 1) + 1 : std::max(at(r + 1, c), at(r, c + 1));
  for (std::size_t r = 0, c = 0; r < rows && c < columns;) {
    if (same(r, c)) {
      match[begin + c++] = begin + r++;
    } else if (at(r + 1, c) >= at(r, c + 1)) {
      ++r;
    } else {
      ++c;
    }
  }
  return match;
}

// A stretch of a block list: an item's lines, or lines between items (comments, spaces).
struct Stretch {
  std::string_view text;
  std::size_t item = none;
};

std::size_t indent_of(std::string_view line) {
  std::size_t first = line.find_first_not_of(' ');
  return first == npos ? line.size() : first;
}

std::vector<Stretch> cut_items(std::string_view block, std::size_t indent) {
  std::vector<Stretch> stretches;
  std::size_t items = 0;
  for (std::size_t at = 0; at < block.size();) {
    std::size_t newline = block.find('\n', at);
    std::size_t end = newline == npos ? block.size() : newline + 1;
    std::string_view line = block.substr(at, end - at);
    std::size_t blanks = indent_of(line);
    bool has_text = line.find_first_not_of(" \t\r\n") != npos;
    if (has_text && blanks == indent && line[blanks] == '-') {
      stretches.push_back({line, items++});
    } else if (has_text && blanks > indent && items > 0) {
      // Blank lines within an item are its own.
      while (stretches.back().item == none)
        stretches.pop_back();
      std::string_view& item = stretches.back().text;
      item = block.substr(static_cast<std::size_t>(item.data() - block.data()));
      item = item.substr(0, static_cast<std::size_t>(block.data() + end - item.data()));
    } else {
      stretches.push_back({line, none});
    }
    at = end;
  }
  return stretches;
}

// What stands before the text of an item: indentation, dash, spaces.
std::string_view prefix_of(std::string_view line) {
  std::size_t dash = line.find('-');
  std::size_t text = line.find_first_not_of(' ', dash + 1);
  bool bare = text == npos || line[text] == '\r' || line[text] == '\n' || line[text] == '#';
  return line.substr(0, bare ? dash + 1 : text);
}

// Items that changed where they stand: as many went between two that stay as came there. Those
// keep what of their lines can be kept.
std::vector<std::size_t> pair_changed(const std::vector<std::size_t>& match, std::size_t before) {
  std::vector<std::size_t> pairs(match.size(), none);
  std::size_t old_begin = 0;
  std::size_t begin = 0;
  while (begin < match.size()) {
    std::size_t end = begin;
    while (end < match.size() && match[end] == none)
      ++end;
    const std::size_t old_end = end < match.size() ? match[end] : before;
    if (old_end - old_begin == end - begin) {
      for (std::size_t i = begin; i < end; ++i)
        pairs[i] = old_begin + (i - begin);
    }
    begin = end + 1;
    old_begin = old_end + 1;
  }
  return pairs;
}

// The items of a list that stay in no place; a new one that equals one of them was moved. Texts are
// found by what they say, as lists of thousands are lists of texts.
class LeftItems {
 public:
  LeftItems(const List& before, const std::vector<std::size_t>& match) : before_(before) {
    std::vector<bool> stays(before.size());
    for (const std::size_t place : match)
      if (place != none) stays[place] = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (stays[i]) continue;
      if (before[i].is_text()) {
        texts_.try_emplace(before[i].text(), i);
      } else {
        others_.push_back(i);
      }
    }
  }

  // The first that is equal, or none.
  std::size_t find(const Value& wanted) const {
    if (wanted.is_text()) {
      const auto found = texts_.find(wanted.text());
      return found == texts_.end() ? none : found->second;
    }
    const auto is_equal = [&](std::size_t i) { return before_[i] == wanted; };
    const auto found = std::ranges::find_if(others_, is_equal);
    return found == others_.end() ? none : *found;
  }

 private:
  const List& before_;
  std::unordered_map<std::string_view, std::size_t> texts_;
  std::vector<std::size_t> others_;
};

// A new item as the ones around it are written: a map between braces, or a line a key.
std::string write_like(std::string_view other,
                       const Value& item,
                       const Column* column,
                       const Layout& layout) {
  const std::string_view prefix = prefix_of(other);
  const std::string_view text = other.substr(prefix.size());
  if (!item.is_map() || !text.starts_with('{')) return write_item(item, column, prefix, layout);
  std::string flow = write_flow(item, column, layout.style);
  if (text.starts_with("{ ")) flow = "{ " + flow.substr(1, flow.size() - 2) + " }";
  return std::string(prefix) + flow + std::string(layout.line_ending);
}

}  // namespace

std::optional<std::size_t> list_indent_of(std::string_view block) {
  std::size_t at = 0;
  while (at < block.size()) {
    std::size_t blanks = indent_of(block.substr(at));
    char c = at + blanks < block.size() ? block[at + blanks] : '\0';
    if (c == '-') return blanks;
    if (c != '#' && c != '\r' && c != '\n') return std::nullopt;
    std::size_t newline = block.find('\n', at);
    if (newline == npos) break;
    at = newline + 1;
  }
  return std::nullopt;
}

std::optional<std::string> edit_block_list(std::string_view block,
                                           const List& before,
                                           const List& after,
                                           const Column* column,
                                           const Layout& layout) {
  auto indent = list_indent_of(block);
  if (!indent || after.empty()) return std::nullopt;
  std::vector<Stretch> stretches = cut_items(block, *indent);
  auto is_item = [](const Stretch& stretch) { return stretch.item != none; };
  auto items = static_cast<std::size_t>(std::ranges::count_if(stretches, is_item));
  if (items != before.size() || items == 0) return std::nullopt;
  std::vector<std::string_view> texts;
  for (const Stretch& stretch : stretches)
    if (is_item(stretch)) texts.push_back(stretch.text);

  std::vector<std::size_t> match = match_items(before, after);
  std::vector<std::size_t> pairs = pair_changed(match, before.size());
  const LeftItems left(before, match);
  std::string out;
  std::size_t next = 0;  // item of `after` that is to be written
  auto end_line = [&] {
    if (!out.empty() && !out.ends_with('\n')) out += layout.line_ending;
  };
  auto write_new = [&] {
    for (; next < after.size() && match[next] == none && pairs[next] == none; ++next) {
      end_line();
      const std::size_t moved = left.find(after[next]);
      out += moved == none ? write_like(texts.front(), after[next], column, layout)
                           : std::string(texts[moved]);
    }
  };
  // The item in its place with its new value, if its lines can be kept.
  auto change_in_place = [&](const Stretch& stretch) {
    if (next >= after.size() || pairs[next] != stretch.item) return false;
    pairs[next] = none;
    if (left.find(after[next]) != none) return false;
    auto edited = edit_block_item(stretch.text, after[next], column);
    if (!edited) return false;
    end_line();
    out += *edited;
    ++next;
    return true;
  };
  for (const Stretch& stretch : stretches) {
    if (!is_item(stretch)) {
      end_line();
      out += stretch.text;
      continue;
    }
    if (change_in_place(stretch)) continue;
    // New items stand after the item before them, or where the first one stood.
    if (stretch.item == 0 || next > 0) write_new();
    if (next >= after.size() || match[next] != stretch.item) continue;
    end_line();
    out += stretch.text;
    ++next;
    write_new();
  }
  write_new();
  end_line();
  return out;
}

std::optional<std::string> edit_flow_list(std::string_view text,
                                          const List& before,
                                          const List& after,
                                          const Column* column,
                                          NodeStyle style) {
  auto flow = cut_flow(text);
  if (!flow || flow->items.size() != before.size() || after.empty() || before.empty()) {
    return std::nullopt;
  }
  std::vector<std::size_t> match = match_items(before, after);
  const std::vector<std::size_t> pairs = pair_changed(match, before.size());
  std::string out(flow->before[0]);
  for (std::size_t i = 0; i < after.size(); ++i) {
    bool neighbours =
        i > 0 && match[i] != none && match[i - 1] != none && match[i - 1] + 1 == match[i];
    if (i > 0) out += neighbours ? flow->before[match[i]] : flow->separator();
    const std::size_t changed = match[i] == none && !after[i].is_scalar() ? pairs[i] : none;
    auto edited =
        changed == none ? std::nullopt : edit_enclosed(flow->items[changed], after[i], column);
    if (edited) {
      out += *edited;
    } else if (match[i] == none) {
      out += write_flow(after[i], column, style);
    } else {
      out += flow->items[match[i]];
    }
  }
  return out += flow->closing;
}

}  // namespace notesdb
