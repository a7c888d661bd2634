#include "note/list_edit.h"

#include <algorithm>
#include <vector>

#include "note/field_split.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t none = npos;
constexpr std::size_t largest_table = 1'000'000;

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
  if (rows == 0 || columns == 0 || rows * columns > largest_table) return match;
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

// A stretch of a block list: an item's lines, or lines between items (comments, blanks).
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
    } else if (has_text && blanks > indent && !stretches.empty() && stretches.back().item != none) {
      std::string_view& item = stretches.back().text;
      item = {item.data(), item.size() + line.size()};
    } else {
      stretches.push_back({line, none});
    }
    at = end;
  }
  return stretches;
}

// What stands before the text of an item: indentation, dash, blanks.
std::string_view prefix_of(std::string_view line) {
  std::size_t dash = line.find('-');
  std::size_t text = line.find_first_not_of(' ', dash + 1);
  bool bare = text == npos || line[text] == '\r' || line[text] == '\n' || line[text] == '#';
  return line.substr(0, bare ? dash + 1 : text);
}

// A list between brackets in pieces: the items without blanks around them, what stands before
// each (the bracket, commas), and what stands behind the last.
struct FlowItems {
  std::vector<std::string_view> items;
  std::vector<std::string_view> before;
  std::string_view closing;
  std::string_view separator() const { return before.size() > 1 ? before[1] : ", "; }
};

std::size_t end_of_flow_item(std::string_view text, std::size_t at) {
  while (at + 1 < text.size() && text[at] != ',') {
    bool enclosed = text[at] == '[' || text[at] == '{' || text[at] == '"' || text[at] == '\'';
    bool first = enclosed && std::string_view(" \n\r\t,[{:").find(text[at - 1]) != npos;
    auto end = first ? end_of_enclosed(text, at) : std::nullopt;
    at = end ? *end : at + 1;
  }
  return at;
}

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
  std::string_view prefix = prefix_of(std::ranges::find_if(stretches, is_item)->text);

  std::vector<std::size_t> match = match_items(before, after);
  std::string out;
  std::size_t next = 0;  // item of `after` that is to be written
  auto end_line = [&] {
    if (!out.empty() && !out.ends_with('\n')) out += layout.line_ending;
  };
  auto write_new = [&] {
    for (; next < after.size() && match[next] == none; ++next) {
      end_line();
      out += write_item(after[next], column, prefix, layout);
    }
  };
  for (const Stretch& stretch : stretches) {
    if (!is_item(stretch)) {
      end_line();
      out += stretch.text;
      continue;
    }
    // New items stand behind the item before them, or where the first one stood.
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
  std::string out(flow->before[0]);
  for (std::size_t i = 0; i < after.size(); ++i) {
    bool neighbours =
        i > 0 && match[i] != none && match[i - 1] != none && match[i - 1] + 1 == match[i];
    if (i > 0) out += neighbours ? flow->before[match[i]] : flow->separator();
    if (match[i] == none) {
      out += write_flow(after[i], column, style);
    } else {
      out += flow->items[match[i]];
    }
  }
  return out += flow->closing;
}

}  // namespace notesdb
