#include "exchange/sheet.h"

#include "core/text.h"
#include "exchange/cell.h"
#include "exchange/separated.h"
#include "json/json_value.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

class YamlWriter {
 public:
  std::string take() && { return std::move(out_); }

  void write(const Value& value, std::size_t level) {
    if (value.is_map() && !value.map().empty()) return write_map(value.map(), level);
    if (value.is_list() && !value.list().empty()) return write_list(value.list(), level);
    out_ += one_line(value) + "\n";
  }

 private:
  static std::string one_line(const Value& value) {
    if (value.is_map()) return "{}";
    if (value.is_list()) return "[]";
    if (value.is_null()) return "null";
    return write_scalar(value, nullptr, NodeStyle::plain, ScalarPlace::block);
  }

  static bool is_block(const Value& value) {
    return (value.is_map() && !value.map().empty()) || (value.is_list() && !value.list().empty());
  }

  void write_map(const Map& map, std::size_t level) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (i > 0) indent(level);
      out_ += write_text(map[i].key, NodeStyle::plain, ScalarPlace::key) + ":";
      if (is_block(map[i].value)) {
        out_ += "\n";
        indent(level + 1);
        write(map[i].value, level + 1);
      } else {
        out_ += " ";
        write(map[i].value, level);
      }
    }
  }

  void write_list(const List& list, std::size_t level) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) indent(level);
      out_ += "- ";
      write(list[i], level + 1);
    }
  }

  void indent(std::size_t level) { out_.append(level * 2, ' '); }

  std::string out_;
};

}  // namespace

std::string yaml_text(const Value& value) {
  YamlWriter writer;
  writer.write(value, 0);
  return std::move(writer).take();
}

namespace {

// A cell that would be a formula, made a text that a spreadsheet shows.
std::string cell_of(const Value& value, Formulas formulas) {
  std::string text = text_of_cell(value);
  const bool runs =
      formulas == Formulas::defused && !value.is_number() && runs_in_spreadsheet(text);
  return runs ? "'" + text : text;
}

// It is for people: what would command their terminal is shown escaped.
std::string markdown_cell(const std::string& text) {
  std::string escaped;
  const auto append = [&](std::string_view line) {
    for (const char c : escape_controls(line)) {
      if (c == '|' || c == '\\') escaped += '\\';
      escaped += c;
    }
  };
  std::string_view rest = text;
  for (;;) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    append(line);
    if (end == rest.npos) return escaped;
    escaped += "<br>";
    rest.remove_prefix(end + 1);
  }
}

// Lists as a person reads them.
std::string shown_text(const Value& value) {
  if (!value.is_list()) return text_of_cell(value);
  std::string text;
  for (const Value& item : value.list())
    text += (text.empty() ? "" : ", ") + text_of_cell(item);
  return text;
}

// An empty cell is a bar alone, so that no line has two spaces in a row.
void append_markdown_cell(std::string& out, const std::string& text) {
  out += "| " + text + (text.empty() ? "" : " ");
}

// A row as a map of the columns that it has a value for.
Value row_as_map(const Sheet& sheet, std::size_t row) {
  Map map;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    const Value& value = sheet.rows[row][i];
    if (!value.is_null()) map.push_back({sheet.columns[i], value});
  }
  return map;
}

}  // namespace

std::string write_csv(const Sheet& sheet, const CsvForm& form) {
  std::string out;
  const auto end_line = [&] { out.replace(out.size() - 1, 1, "\r\n"); };
  if (sheet.columns.empty()) return out;
  for (const std::string& column : sheet.columns) {
    append_csv_cell(out, cell_of(column, form.formulas), form.separator);
    out += form.separator;
  }
  end_line();
  for (const auto& row : sheet.rows) {
    for (const Value& value : row) {
      const std::string cell = cell_of(value, form.formulas);
      // A line of nothing would be no record.
      const bool shows_empty = !value.is_null() || row.size() == 1;
      if (cell.empty() && shows_empty)
        out += "\"\"";
      else
        append_csv_cell(out, cell, form.separator);
      out += form.separator;
    }
    end_line();
  }
  return out;
}

std::string write_tsv(const Sheet& sheet, Formulas formulas) {
  std::string out;
  if (sheet.columns.empty()) return out;
  for (const std::string& column : sheet.columns) {
    append_tsv_cell(out, cell_of(column, formulas));
    out += '\t';
  }
  out.back() = '\n';
  for (const auto& row : sheet.rows) {
    for (const Value& value : row) {
      append_tsv_cell(out, cell_of(value, formulas));
      out += '\t';
    }
    out.back() = '\n';
  }
  return out;
}

std::string write_markdown(const Sheet& sheet) {
  if (sheet.columns.empty()) return "";
  std::string out;
  for (const std::string& column : sheet.columns)
    append_markdown_cell(out, markdown_cell(column));
  out += "|\n";
  for (std::size_t i = 0; i < sheet.columns.size(); ++i)
    append_markdown_cell(out, "---");
  out += "|\n";
  for (const auto& row : sheet.rows) {
    for (const Value& value : row)
      append_markdown_cell(out, markdown_cell(shown_text(value)));
    out += "|\n";
  }
  return out;
}

std::string write_json(const Sheet& sheet) {
  std::string out = "[\n";
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
    append_json(out, row_as_map(sheet, i));
    out += i + 1 < sheet.rows.size() ? ",\n" : "\n";
  }
  return out + "]\n";
}

std::string write_json_lines(const Sheet& sheet) {
  std::string out;
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
    append_json(out, row_as_map(sheet, i));
    out += '\n';
  }
  return out;
}

std::string write_yaml(const Sheet& sheet) {
  List rows;
  for (std::size_t i = 0; i < sheet.rows.size(); ++i)
    rows.push_back(row_as_map(sheet, i));
  return yaml_text(rows);
}

}  // namespace notesdb
