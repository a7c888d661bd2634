#include "exchange/source.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/count.h"
#include "core/text.h"
#include "exchange/separated.h"
#include "json/json_value.h"

namespace notesdb {

void Source::add_issue(std::uint32_t line, std::string_view rule, std::string message) {
  Issue issue;
  issue.path = path;
  issue.line = line;
  issue.rule = rule;
  issue.message = std::move(message);
  issues.push_back(std::move(issue));
}

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

// Whether the text can be read at all; names the first line that is no UTF-8.
bool check_encoding(std::string_view text, Source& source) {
  if (is_utf8(text)) return true;
  if (is_utf16(text)) {
    source.add_issue(1, "encoding", "the file is UTF-16; save it as UTF-8");
    return false;
  }
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!is_utf8(text.substr(begin, end - begin))) break;
    begin = end + 1;
  }
  source.add_issue(line, "encoding", "this line is not UTF-8; save the file as UTF-8");
  return false;
}

// As a row has at most so many fields.
constexpr std::size_t max_columns = 1000;
// Of all records: what is missing in one takes its place in memory, too.
constexpr std::size_t max_cells = 10'000'000;

std::string too_many_columns() {
  return "the file has more than " + std::to_string(max_columns) + " columns; a row has at most " +
         std::to_string(max_columns) + " fields";
}

void take_header(const SeparatedRecord& header, Source& source) {
  std::set<std::string_view> seen;
  for (const SeparatedCell& cell : header.cells) {
    const std::size_t number = source.columns.size() + 1;
    if (cell.text.empty()) {
      source.add_issue(
          header.line, "header", "column " + std::to_string(number) + " of the header has no name");
    } else if (!seen.insert(cell.text).second) {
      source.add_issue(header.line, "header", "the header has '" + cell.text + "' twice");
    }
    source.columns.push_back(cell.text);
  }
}

void take_record(const SeparatedRecord& given, Source& source) {
  if (given.cells.size() != source.columns.size()) {
    source.add_issue(given.line,
                     "csv",
                     "this record has " + count_of(given.cells.size(), "cell") +
                         ", where the header has " + std::to_string(source.columns.size()));
    return;
  }
  SourceRecord record{given.line, {}};
  for (const SeparatedCell& cell : given.cells) {
    const bool is_there = cell.quoted || !cell.text.empty();
    record.cells.push_back(is_there ? std::optional<Value>(cell.text) : std::nullopt);
  }
  source.records.push_back(std::move(record));
}

// A separator that was not meant is seen at once in a header of one name.
void doubt_separator(const SeparatedRecord& header, char separator, Source& source) {
  if (header.cells.size() != 1 || separator != ',') return;
  for (const char other : {';', '\t', '|'}) {
    if (header.cells.front().text.find(other) == std::string::npos) continue;
    const std::string word = other == '\t' ? "tab" : std::string(1, other);
    source.add_issue(header.line,
                     "header",
                     "the header is one name, '" + escape_controls(header.cells.front().text) +
                         "'; --separator '" + word + "' makes it several");
    return;
  }
}

Source source_of(std::string path, SeparatedText text, char separator) {
  Source source;
  source.path = std::move(path);
  source.form = CellForm::text;
  for (Issue& issue : text.issues) {
    issue.path = source.path;
    source.issues.push_back(std::move(issue));
  }
  if (text.records.empty()) {
    source.add_issue(1, "header", "the file is empty; its first line should name the columns");
    return source;
  }
  if (text.records.front().cells.size() > max_columns) {
    source.add_issue(text.records.front().line, "header", too_many_columns());
    return source;
  }
  take_header(text.records.front(), source);
  doubt_separator(text.records.front(), separator, source);
  for (std::size_t i = 1; i < text.records.size(); ++i)
    take_record(text.records[i], source);
  return source;
}

Source unreadable(std::string path, std::string_view text) {
  Source source;
  source.path = std::move(path);
  check_encoding(text, source);
  return source;
}

// Records that are objects, whose keys become columns as they turn up.
class ObjectReader {
 public:
  ObjectReader(std::string path, std::string_view text) {
    source_.path = std::move(path);
    is_readable_ = check_encoding(text, source_);
    text_ = text;
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  Source read_lines() && {
    std::uint32_t number = 1;
    for (std::size_t begin = 0; is_readable_ && begin < text_.size(); ++number) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = text_.substr(begin, end - begin);
      if (line.find_first_not_of(blanks) != std::string_view::npos) take(line, number);
      if (is_over_limit_) break;
      begin = end + 1;
    }
    return finished();
  }

  // The elements of the outermost list, each judged by itself, so that each has a line.
  Source read_list() && {
    if (!is_readable_) return finished();
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '[') {
      take(text_.substr(std::min(at_, text_.size())), line_);
      return finished();
    }
    ++at_;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ']') return ended();
    while (at_ < text_.size()) {
      skip_blanks();
      const std::uint32_t line = line_;
      take(next_element(), line);
      if (is_over_limit_) return finished();
      if (at_ >= text_.size()) break;
      if (text_[at_++] == ']') {
        --at_;
        return ended();
      }
    }
    source_.add_issue(line_, "json", "the list is never closed; ']' is missing at the end");
    return finished();
  }

 private:
  static constexpr std::string_view blanks = " \t\r\n";

  void skip_blanks() {
    while (at_ < text_.size() && blanks.find(text_[at_]) != std::string_view::npos)
      if (text_[at_++] == '\n') ++line_;
  }

  // Up to the comma or bracket that ends it.
  std::string_view next_element() {
    const std::size_t begin = at_;
    int depth = 0;
    for (bool in_text = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (in_text) {
        if (c == '\\' && at_ + 1 < text_.size()) ++at_;
        if (c == '"') in_text = false;
      } else if (c == '"') {
        in_text = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ']')) {
        break;
      } else if (c == '}' || c == ']') {
        --depth;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

  Source ended() {
    ++at_;
    skip_blanks();
    if (at_ < text_.size()) source_.add_issue(line_, "json", "unexpected text after the list");
    return finished();
  }

  void take(std::string_view text, std::uint32_t line) {
    auto value = parse_json(text);
    if (!value) return source_.add_issue(line, "json", value.error().message);
    if (!value->is_map()) {
      return source_.add_issue(
          line, "json", "a record is an object, and this is " + to_display(*value));
    }
    SourceRecord record{line, {}};
    record.cells.resize(source_.columns.size());
    for (Member& member : value->map()) {
      const std::size_t place = place_of(member.key);
      if (place == max_columns) return refuse(line, too_many_columns());
      if (place >= record.cells.size()) record.cells.resize(place + 1);
      record.cells[place] = std::move(member.value);
    }
    source_.records.push_back(std::move(record));
    if (source_.records.size() * source_.columns.size() > max_cells) {
      refuse(
          line,
          "the file has more than 10,000,000 cells, the limit of one import; cut it into several");
    }
  }

  // Nothing more is read.
  void refuse(std::uint32_t line, std::string why) {
    source_.add_issue(line, "json", std::move(why));
    source_.records.clear();
    is_over_limit_ = true;
  }

  std::size_t place_of(const std::string& key) {
    const auto [found, is_new] = places_.try_emplace(key, source_.columns.size());
    if (is_new) source_.columns.push_back(key);
    return found->second;
  }

  Source finished() {
    for (SourceRecord& record : source_.records)
      record.cells.resize(source_.columns.size());
    return std::move(source_);
  }

  Source source_;
  bool is_readable_ = false;
  bool is_over_limit_ = false;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

Source read_csv_source(std::string path, std::string_view text, char separator) {
  if (!is_utf8(text)) return unreadable(std::move(path), text);
  return source_of(std::move(path), read_csv(text, separator), separator);
}

Source read_tsv_source(std::string path, std::string_view text) {
  if (!is_utf8(text)) return unreadable(std::move(path), text);
  return source_of(std::move(path), read_tsv(text), '\t');
}

Source read_json_source(std::string path, std::string_view text) {
  return ObjectReader(std::move(path), text).read_list();
}

Source read_json_lines_source(std::string path, std::string_view text) {
  return ObjectReader(std::move(path), text).read_lines();
}

}  // namespace notesdb
