#include <algorithm>

#include "cli/writers.h"
#include "json/json_value.h"

namespace notesdb::cli {

namespace {

bool is_plain_list(const Value& value) {
  return value.is_list() && std::ranges::all_of(value.list(), [](const Value& item) {
           return item.is_scalar() && !item.is_null() &&
                  cell_text(item).find(',') == std::string::npos;
         });
}

// What --set would take back.
std::string exact_text(const Value& value) {
  if (is_plain_list(value)) {
    std::string text;
    for (const Value& item : value.list())
      text += (text.empty() ? "" : ",") + cell_text(item);
    return text;
  }
  return value.is_scalar() ? cell_text(value) : to_json(value);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string tsv_cell(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '\t': escaped += "\\t"; break;
      case '\n': escaped += "\\n"; break;
      case '\r': escaped += "\\r"; break;
      case '\\': escaped += "\\\\"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

struct Separated {
  std::string_view separator;
  std::string_view line_end;
  std::string (*cell)(const std::string& text);
};

std::string write_separated(const Records& records, const Separated& form) {
  std::string out;
  auto end_line = [&] {
    out.replace(out.size() - form.separator.size(), form.separator.size(), form.line_end);
  };
  for (const std::string& column : records.columns)
    out.append(form.cell(column)).append(form.separator);
  if (records.columns.empty()) return out;
  end_line();
  for (const auto& row : records.rows) {
    for (const Value& cell : row)
      out.append(form.cell(exact_text(cell))).append(form.separator);
    end_line();
  }
  return out;
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|' || c == '\\') escaped += '\\';
    if (c == '\n')
      escaped += "<br>";
    else if (c != '\r')
      escaped += c;
  }
  return escaped;
}

void append_markdown_line(std::string& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells)
    out += "| " + cell + (cell.empty() ? "" : " ");
  out += "|\n";
}

}  // namespace

std::string write_csv(const Records& records) {
  return write_separated(records, {",", "\r\n", csv_cell});
}

std::string write_tsv(const Records& records) {
  return write_separated(records, {"\t", "\n", tsv_cell});
}

std::string write_markdown(const Records& records) {
  if (records.columns.empty()) return "";
  std::string out;
  std::vector<std::string> header;
  for (const std::string& column : records.columns)
    header.push_back(markdown_cell(column));
  append_markdown_line(out, header);
  append_markdown_line(out, std::vector<std::string>(header.size(), "---"));
  for (const auto& row : records.rows) {
    std::vector<std::string> cells;
    for (const Value& cell : row)
      cells.push_back(markdown_cell(cell_text(cell)));
    append_markdown_line(out, cells);
  }
  return out;
}

}  // namespace notesdb::cli
