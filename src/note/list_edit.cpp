#include "note/list_edit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "note/map_edit.h"
#include "yaml/flow_items.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t none = npos;
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
