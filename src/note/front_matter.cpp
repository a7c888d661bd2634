#include "note/front_matter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "core/text.h"
#include "note/json_front_matter.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace notesdb {

namespace {

#if defined(__SSE2__)

__m128i load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// Where the sixteen line ends are looked at together, moves `at` to the first that has a wanted
// character after it, or to where fewer are left.
void skip_blocks(std::string_view text, std::size_t& at, char first, char other) {
  for (; at + 17 <= text.size(); at += 16) {
    const __m128i behind = load(text.data() + at + 1);
    const __m128i wanted = _mm_or_si128(_mm_cmpeq_epi8(behind, _mm_set1_epi8(first)),
                                        _mm_cmpeq_epi8(behind, _mm_set1_epi8(other)));
    const __m128i line_ends = _mm_cmpeq_epi8(load(text.data() + at), _mm_set1_epi8('\n'));
    const int hits = _mm_movemask_epi8(_mm_and_si128(line_ends, wanted));
    if (hits == 0) continue;
    at += static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(hits)));
    return;
  }
}

#else

void skip_blocks(std::string_view, std::size_t&, char, char) {}

#endif

// Where the first line begins that begins with one of two characters, looking from the line at `at`
// on; npos if there is none.
std::size_t find_line(std::string_view text, std::size_t at, char first, char other) {
  const auto begins = [&](std::size_t place) {
    return place < text.size() && (text[place] == first || text[place] == other);
  };
  if (begins(at)) return at;
  while (at < text.size()) {
    skip_blocks(text, at, first, other);
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) break;
    at = line_end + 1;
    if (begins(at)) return at;
  }
  return std::string_view::npos;
}

// Foreign heads: front matter of other programs, which notesdb tells apart and does not write.
//
//   ;;;             members of a JSON object, without braces (Hexo, Middleman)
//   ---json         a language after the fence: ---json, ---toml, ---js (gray-matter)
//   ```toml         a fenced block (RustSec)
//   title: Dune     keys on the first lines, up to a space one (MultiMarkdown, MkDocs)
//   % Dune          title, authors, date (Pandoc)
//   #+TITLE: Dune   (Org)

constexpr auto npos = std::string_view::npos;

std::string_view take_line(std::string_view& text) {
  const std::size_t newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == npos ? text.size() : newline + 1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return line;
}

bool is_closed_by(std::string_view text, std::string_view fence) {
  while (!text.empty())
    if (take_line(text) == fence) return true;
  return false;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

// The key of `Key: value`: letters, digits, `_`, `-`; empty for any other line.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 0 || !is_letter(line.front())) return {};
  const bool is_set_off = colon + 1 == line.size() || line[colon + 1] == ' ';
  const std::string_view key = line.substr(0, colon);
  const bool is_key = std::ranges::all_of(
      key, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
  return is_set_off && is_key ? key : std::string_view();
}

bool is_usual_key(std::string_view key) {
  constexpr std::array<std::string_view, 10> usual{"title",
                                                   "author",
                                                   "authors",
                                                   "date",
                                                   "tags",
                                                   "summary",
                                                   "template",
                                                   "description",
                                                   "slug",
                                                   "category"};
  return std::ranges::any_of(usual, [&](std::string_view word) {
    return std::ranges::equal(word, key, {}, {}, [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  });
}

// Text may begin with `Note: ...`, so every line up to the first space one must be a key's, and
// one of the keys a usual one.
bool begins_with_keys(std::string_view text) {
  bool any_usual = false;
  for (bool first = true; !text.empty(); first = false) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const bool goes_on = !first && (line.starts_with("    ") || line.starts_with('\t'));
    if (goes_on) continue;
    const std::string_view key = key_of(line);
    if (key.empty()) return false;
    any_usual = any_usual || is_usual_key(key);
  }
  return any_usual;
}

bool begins_org(std::string_view line) {
  if (!line.starts_with("#+")) return false;
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 2) return false;
  std::string_view key = line.substr(2, colon - 2);
  if (key.ends_with("[]")) key.remove_suffix(2);
  return std::ranges::all_of(key, [](char c) { return is_letter(c) || c == '_'; });
}

// Names the form a text begins with, as a message does: "an Org header"; empty if there is none.
// `text` has no byte order mark. The name lives forever.
std::string_view foreign_head(std::string_view text) {
  if (text.empty()) return {};
  std::string_view below = text;
  const std::string_view line = take_line(below);
  switch (line.empty() ? '\0' : line.front()) {
    case ';': return line == ";;;" && is_closed_by(below, ";;;") ? "`;;;` fences" : "";
    case '-':
      if (!line.starts_with("---") || !is_word(line.substr(3))) return {};
      return is_closed_by(below, "---") ? "a fence that names a language (---json, ---toml)" : "";
    case '`':
      return line == "```toml" && is_closed_by(below, "```") ? "a fenced block of TOML" : "";
    case '%': return line.starts_with("% ") ? "a Pandoc title (% title)" : "";
    case '#': return begins_org(line) ? "an Org header (#+KEY:)" : "";
    default: return begins_with_keys(text) ? "MultiMarkdown keys (key: value without fences)" : "";
  }
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

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

// The fields between two fences, of which the first stands at `top`, in line `number`; kind `none`
// where there is none.
Result<FrontMatter> split_fenced(std::string_view bytes,
                                 FrontMatter front,
                                 std::size_t top,
                                 std::uint32_t number) {
  constexpr auto none = std::string_view::npos;
  std::size_t fields = behind_fence(bytes, top, "---");
  const bool yaml = fields != none;
  if (!yaml) fields = behind_fence(bytes, top, "+++");
  if (fields == none) return front;
  front.kind = yaml ? FrontMatterKind::yaml : FrontMatterKind::toml;
  front.begin = fields;
  front.first_line = number + 1;
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
  return malformed(number,
                   std::string("the front matter opened here is never closed; add a line '") +
                       (yaml ? "---" : "+++") + "' below its last field");
}

// Whether the first line that is neither empty nor a comment begins with a key.
bool begins_with_key(std::string_view fields) {
  while (!fields.empty()) {
    const std::string_view line = take_line(fields);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    if (colon == npos || colon == 0 || is_blank(line.front())) return false;
    return colon + 1 == line.size() || line[colon + 1] == ' ';
  }
  return false;
}

// Below empty lines a fence is as often a rule across the page: there it must be closed, and YAML must begin
// with a key.
Result<FrontMatter> split_below_lines(std::string_view bytes, const FrontMatter& front) {
  const std::size_t text = bytes.find_first_not_of(" \t\r\n", front.begin);
  const bool may_be = text != npos && (bytes[text] == '-' || bytes[text] == '+') &&
                      text > front.begin && bytes[text - 1] == '\n';
  if (!may_be) return split_unfenced(bytes, front);
  const auto above = bytes.substr(front.begin, text - front.begin);
  const auto number = static_cast<std::uint32_t>(std::ranges::count(above, '\n')) + 1;
  auto fenced = split_fenced(bytes, front, text, number);
  const bool counts = fenced && fenced->kind != FrontMatterKind::none &&
                      (fenced->kind == FrontMatterKind::toml ||
                       begins_with_key(bytes.substr(fenced->begin, fenced->end - fenced->begin)));
  return counts ? fenced : split_unfenced(bytes, front);
}

Result<FrontMatter> split_markdown(std::string_view bytes, FrontMatter front) {
  front.body_begin = front.fence_end = front.end = front.begin;
  auto fenced = split_fenced(bytes, front, front.begin, 1);
  if (!fenced || fenced->kind != FrontMatterKind::none) return fenced;
  return split_below_lines(bytes, front);
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
