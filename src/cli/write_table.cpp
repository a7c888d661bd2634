#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/writers.h"
#include "core/text.h"

namespace notesdb::cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 10;

// One line, whatever the file holds.
std::string one_line(const Value& value) {
  std::string text = escape_controls(cell_text(value));
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

struct Grid {
  std::vector<std::vector<std::string>> lines;  // the first is the header
  std::vector<std::size_t> widths;
  std::vector<bool> is_number;  // numbers end at the right
};

bool is_numeric(const Records& records, std::size_t column) {
  bool any = false;
  for (const std::vector<Value>& row : records.rows) {
    if (!row[column].is_number() && !row[column].is_null()) return false;
    any = any || row[column].is_number();
  }
  return any;
}

Grid grid_of(const Records& records) {
  Grid grid;
  std::vector<std::string> header;
  for (const std::string& column : records.columns)
    header.push_back(one_line(column));
  grid.lines.push_back(std::move(header));
  for (const std::vector<Value>& row : records.rows) {
    std::vector<std::string> line;
    for (const Value& cell : row)
      line.push_back(one_line(cell));
    grid.lines.push_back(std::move(line));
  }
  grid.widths.resize(records.columns.size());
  for (const std::vector<std::string>& line : grid.lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      grid.widths[i] = std::max(grid.widths[i], text_width(line[i]));
  for (std::size_t i = 0; i < records.columns.size(); ++i)
    grid.is_number.push_back(is_numeric(records, i));
  return grid;
}

std::size_t whole_width(const std::vector<std::size_t>& widths) {
  std::size_t gaps = widths.empty() ? 0 : (widths.size() - 1) * gap;
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

// The widest columns give way first, but for the first, which names the record; then the last ones
// are left out. How many those are comes back.
std::size_t fit(std::vector<std::size_t>& widths, std::size_t width) {
  std::size_t all = widths.size();
  while (widths.size() > 2 && whole_width(widths) > width) {
    auto widest = std::max_element(widths.begin() + 1, widths.end());
    if (*widest > narrowest) {
      --*widest;
    } else {
      widths.pop_back();
    }
  }
  return all - widths.size();
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  std::string blanks(width - std::min(width, text_width(text)), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

void append_line(std::string& out, const Grid& grid, const std::vector<std::string>& line) {
  std::string text;
  for (std::size_t i = 0; i < grid.widths.size(); ++i) {
    if (i > 0) text.append(gap, ' ');
    text += padded(cut_to_width(line[i], grid.widths[i]), grid.widths[i], grid.is_number[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out += text + '\n';
}

std::string left_out_line(const std::vector<std::string>& columns, std::size_t count) {
  std::string line;
  for (std::size_t i = columns.size() - count; i < columns.size(); ++i)
    line += (line.empty() ? "(no room for " : ", ") + one_line(columns[i]);
  return line + ")\n";
}

std::string write_list(const Records& records, std::size_t width) {
  Grid grid = grid_of(records);
  std::size_t left_out = width > 0 ? fit(grid.widths, width) : 0;
  std::string out;
  append_line(out, grid, grid.lines.front());
  std::vector<std::string> rule;
  for (std::size_t cells : grid.widths)
    rule.emplace_back(cells, '-');
  append_line(out, grid, rule);
  for (std::size_t i = 1; i < grid.lines.size(); ++i)
    append_line(out, grid, grid.lines[i]);
  if (left_out > 0) out += left_out_line(records.columns, left_out);
  return out;
}

// An empty list or map; an empty text is a text, and null is told by its space.
bool says_nothing(const Value& value) {
  return (value.is_list() && value.list().empty()) || (value.is_map() && value.map().empty());
}

// Name and value a line, then the body as it stands in the file.
std::string write_record(const Records& records) {
  std::size_t widest = 0;
  for (const std::string& column : records.columns)
    widest = std::max(widest, text_width(column));
  std::string out;
  std::string body;
  for (std::size_t i = 0; i < records.columns.size(); ++i) {
    const Value& value = records.rows.front()[i];
    if (says_nothing(value)) continue;
    if (records.columns[i] == "body" && value.is_text()) {
      body = escape_controls(without_returns(value.text()));
      continue;
    }
    std::string line = padded(one_line(records.columns[i]), widest + gap, false) + one_line(value);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (body.empty()) return out;
  return out + (body.starts_with('\n') ? "" : "\n") + body + (body.ends_with('\n') ? "" : "\n");
}

}  // namespace

std::string without_returns(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text.substr(i).starts_with("\r\n")) lines += text[i];
  }
  return lines;
}

std::string write_table(const Records& records, std::size_t width) {
  if (records.is_single) return write_record(records);
  return records.rows.empty() ? "" : write_list(records, width);
}

}  // namespace notesdb::cli
