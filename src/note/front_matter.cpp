#include "note/front_matter.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/text.h"
#include "note/foreign_head.h"
#include "note/json_front_matter.h"
#include "yaml/line_search.h"

namespace notesdb {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Walks the lines of a text, counting them.
class Lines {
 public:
  Lines(std::string_view text, std::size_t at, std::uint32_t line)
      : text_(text), next_(at), number_(line - 1) {}

  bool advance() {
    if (next_ >= text_.size()) return false;
    begin_ = next_;
    std::size_t newline = text_.find('\n', begin_);
    bool last = newline == std::string_view::npos;
    end_ = last ? text_.size() : newline;
    next_ = last ? text_.size() : newline + 1;
    if (end_ > begin_ && text_[end_ - 1] == '\r') --end_;
    ++number_;
    return true;
  }

  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  std::size_t begin() const { return begin_; }
  std::size_t next() const { return next_; }
  std::uint32_t number() const { return number_; }

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t next_ = 0;
  std::uint32_t number_ = 0;
};

// Whether a line is the three characters and nothing after them but spaces.
bool is_fence(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return false;
  for (char c : line.substr(mark.size()))
    if (!is_blank(c)) return false;
  return true;
}

// Whether a line begins a document: `---` alone or with content after a space.
bool begins_document(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || is_blank(line[3]));
}

bool is_blank_or_comment(std::string_view line) {
  std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

Error malformed(std::uint32_t line, std::string_view what) {
  return {ErrorCode::malformed_file,
          "line " + std::to_string(line) + ": " + std::string(what),
          Map{{"line", static_cast<std::int64_t>(line)}}};
}

Result<FrontMatter> checked(FrontMatter front) {
  if (front.end - front.begin > FrontMatter::max_size) {
    return malformed(front.first_line, "the front matter is larger than 256 KiB");
  }
  return front;
}

// The blank line after the closing fence belongs to neither side.
void skip_separator(std::string_view bytes, FrontMatter& front) {
  std::string_view rest = bytes.substr(front.fence_end);
  std::size_t blank = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
  front.has_separator = blank > 0;
  front.body_begin = front.fence_end + blank;
}

// After the line at `at`, if it is a fence; npos if it is none.
std::size_t behind_fence(std::string_view text, std::size_t at, std::string_view mark) {
  if (!text.substr(at).starts_with(mark)) return std::string_view::npos;
  at += mark.size();
  while (at < text.size() && is_blank(text[at]))
    ++at;
  const std::string_view rest = text.substr(at);
  if (rest.empty() || rest == "\r") return text.size();
  if (rest.front() == '\n') return at + 1;
  return rest.starts_with("\r\n") ? at + 2 : std::string_view::npos;
}

// A JSON object below blank lines; without one, the front matter is as it was.
Result<FrontMatter> split_json(std::string_view bytes, FrontMatter front) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n", front.begin);
  if (begin == std::string_view::npos || !begins_json_object(bytes.substr(begin))) return front;
  const auto above = bytes.substr(front.begin, begin - front.begin);
  const auto line = static_cast<std::uint32_t>(std::ranges::count(above, '\n')) + 1;
  const JsonObject object =
      read_json_object(bytes.substr(0, begin + FrontMatter::max_size), begin, line);
  if (object.problem) {
    const YamlProblem& problem = *object.problem;
    return malformed(problem.line, "the JSON front matter is not valid: " + problem.message)
        .with("column", static_cast<std::int64_t>(problem.column));
  }
  const std::size_t below = bytes.find_first_not_of(" \t\r", object.end);
  const bool ends_line = below == std::string_view::npos || bytes[below] == '\n';
  if (!ends_line) return front;
  if (!is_utf8(bytes.substr(begin, object.end - begin)))
    return malformed(line, "a text is not UTF-8");
  front.kind = FrontMatterKind::json;
  front.first_line = line;
  front.begin = begin;
  front.end = object.end;
  front.fence_end = below == std::string_view::npos ? bytes.size() : below + 1;
  skip_separator(bytes, front);
  return checked(front);
}

Result<FrontMatter> split_unfenced(std::string_view bytes, FrontMatter front) {
  auto json = split_json(bytes, front);
  if (!json || json->kind == FrontMatterKind::json) return json;
  front.form = foreign_head(bytes.substr(front.begin));
  if (!front.form.empty()) front.kind = FrontMatterKind::foreign;
  return front;
}

Result<FrontMatter> split_markdown(std::string_view bytes, FrontMatter front) {
  constexpr auto none = std::string_view::npos;
  front.body_begin = front.fence_end = front.end = front.begin;
  std::size_t fields = behind_fence(bytes, front.begin, "---");
  const bool yaml = fields != none;
  if (!yaml) fields = behind_fence(bytes, front.begin, "+++");
  if (fields == none) return split_unfenced(bytes, front);
  front.kind = yaml ? FrontMatterKind::yaml : FrontMatterKind::toml;
  front.begin = fields;
  front.first_line = 2;
  std::size_t line = fields;
  while (true) {
    const std::size_t at = find_line(bytes, line, yaml ? '-' : '+', yaml ? '.' : '+');
    if (at == none) break;
    front.fence_end = behind_fence(bytes, at, yaml ? "---" : "+++");
    if (front.fence_end == none && yaml) front.fence_end = behind_fence(bytes, at, "...");
    if (front.fence_end != none) {
      front.end = at;
      skip_separator(bytes, front);
      return checked(front);
    }
    const std::size_t line_end = bytes.find('\n', at);
    if (line_end == none) break;
    line = line_end + 1;
  }
  return malformed(1,
                   std::string("the front matter opened here is never closed; add a line '") +
                       (yaml ? "---" : "+++") + "' below its last field");
}

Result<FrontMatter> split_yaml(std::string_view bytes, FrontMatter front) {
  front.kind = FrontMatterKind::yaml;
  Lines lines(bytes, front.begin, 1);
  while (lines.advance() && is_blank_or_comment(lines.line())) {
  }
  if (is_fence(lines.line(), "---")) {
    front.begin = lines.next();
    front.first_line = lines.number() + 1;
  }
  lines = Lines(bytes, front.begin, front.first_line);
  bool ended = false;
  front.end = bytes.size();
  while (lines.advance()) {
    std::string_view line = lines.line();
    if (ended && !is_blank_or_comment(line)) {
      return malformed(lines.number(), "a second document begins here; a row is one document");
    }
    if (ended || !(is_fence(line, "...") || begins_document(line))) continue;
    if (!is_fence(line, "...") && !is_fence(line, "---")) {
      return malformed(lines.number(), "a second document begins here; a row is one document");
    }
    ended = true;
    front.end = lines.begin();
  }
  front.fence_end = front.body_begin = bytes.size();
  return checked(front);
}

}  // namespace

NoteFormat note_format_of(std::string_view file_name) {
  bool yaml = file_name.ends_with(".yaml") || file_name.ends_with(".yml");
  return yaml ? NoteFormat::yaml : NoteFormat::markdown;
}

std::string_view line_ending_of(std::string_view text) {
  std::size_t newline = text.find('\n');
  bool crlf = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
  return crlf ? "\r\n" : "\n";
}

Result<FrontMatter> split_front_matter(std::string_view bytes, NoteFormat format) {
  FrontMatter front;
  front.has_bom = bytes.starts_with(byte_order_mark);
  if (front.has_bom) front.begin = byte_order_mark.size();
  return format == NoteFormat::yaml ? split_yaml(bytes, front) : split_markdown(bytes, front);
}

}  // namespace notesdb
