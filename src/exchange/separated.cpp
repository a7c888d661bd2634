#include "exchange/separated.h"

#include <algorithm>
#include <utility>

namespace notesdb {
namespace {

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

Issue problem(std::uint32_t line, std::string message) {
  Issue issue;
  issue.line = line;
  issue.rule = "csv";
  issue.message = std::move(message);
  return issue;
}

class CsvReader {
 public:
  CsvReader(std::string_view text, char separator)
      : text_(without_mark(text)), separator_(separator) {}

  SeparatedText read() && {
    while (at_ < text_.size())
      read_record();
    return std::move(found_);
  }

 private:
  void read_record() {
    SeparatedRecord record{line_, {}};
    record.cells.push_back(read_cell());
    while (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      record.cells.push_back(read_cell());
    }
    take_line_end();
    const SeparatedCell& first = record.cells.front();
    const bool is_blank = record.cells.size() == 1 && first.text.empty() && !first.quoted;
    if (!is_blank) found_.records.push_back(std::move(record));
  }

  SeparatedCell read_cell() {
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_cell(text_[at_]))
      ++at_;
    return {std::string(text_.substr(begin, at_ - begin)), false};
  }

  SeparatedCell read_quoted() {
    const std::uint32_t opened = line_;
    SeparatedCell cell{{}, true};
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) {
        found_.issues.push_back(problem(opened, "the quote opened here is never closed"));
        return cell;
      }
      if (text_[at_] == '"') {
        const bool is_doubled = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (!is_doubled) break;
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      cell.text += text_[at_];
    }
    ++at_;
    skip_rest_of_cell();
    return cell;
  }

  void skip_rest_of_cell() {
    if (at_ >= text_.size() || ends_cell(text_[at_])) return;
    found_.issues.push_back(
        problem(line_, "unexpected text after a closing quote; inside a cell a quote is doubled"));
    while (at_ < text_.size() && !ends_cell(text_[at_]))
      ++at_;
  }

  bool ends_cell(char c) const { return c == separator_ || c == '\n' || c == '\r'; }

  void take_line_end() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  SeparatedText found_;
};

char unescaped(char c) {
  switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    default: return c;
  }
}

SeparatedCell tsv_cell(std::string_view text) {
  SeparatedCell cell;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() &&
                           std::string_view("tnr\\").find(text[i + 1]) != std::string_view::npos;
    cell.text += is_escape ? unescaped(text[++i]) : text[i];
  }
  return cell;
}

}  // namespace

SeparatedText read_csv(std::string_view text, char separator) {
  return CsvReader(text, separator).read();
}

SeparatedText read_tsv(std::string_view text) {
  SeparatedText found;
  std::string_view rest = without_mark(text);
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t newline = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(std::min(newline + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    SeparatedRecord record{number, {}};
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t tab = std::min(line.find('\t', begin), line.size());
      record.cells.push_back(tsv_cell(line.substr(begin, tab - begin)));
      begin = tab + 1;
    }
    found.records.push_back(std::move(record));
  }
  return found;
}

void append_csv_cell(std::string& out, std::string_view text, char separator) {
  const bool is_plain =
      std::ranges::none_of(
          text, [&](char c) { return c == separator || c == '"' || c == '\r' || c == '\n'; }) &&
      !text.starts_with("\xEF\xBB\xBF");
  if (is_plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_tsv_cell(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
}

}  // namespace notesdb
