#include "toml/split.h"

#include <algorithm>

#include "yaml/quoted.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Walks a text; every step says whether it could be taken.
class Walker {
 public:
  Walker(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  char here() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip(std::size_t count) { at_ += count; }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_]))
      ++at_;
  }
  // Spaces, line ends and, between the items of an array, comments.
  void skip_space() {
    while (at_ < text_.size()) {
      if (here() == '#') skip_line();
      if (at_ >= text_.size() || (!is_blank(here()) && here() != '\n' && here() != '\r')) return;
      ++at_;
    }
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  bool ends_line() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  // Text between quotes of one kind, three of them where three stand.
  bool skip_text() {
    const char quote = here();
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (!is_long && (text_[at_] == quote || text_[at_] == '\n')) {
        return text_[at_++] == quote;
      } else if (is_long && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        // Up to two quotes may stand before the closing three.
        for (int more = 0; more < 2 && here() == quote; ++more)
          ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_value() {
    if (here() == '"' || here() == '\'') return skip_text();
    if (here() == '[' || here() == '{') return skip_brackets();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",]}#\r\n").find(here()) == npos)
      ++at_;
    while (at_ > begin && is_blank(text_[at_ - 1]))
      --at_;
    return at_ > begin;
  }

 private:
  bool skip_brackets() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = here();
      if (c == '"' || c == '\'') {
        if (!skip_text()) return false;
        continue;
      }
      if (c == '#') {
        skip_line();
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
      if (depth == 0) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_;
};

// One part of a key; empty where there is none.
std::optional<std::string> take_key(std::string_view text, Walker& walker) {
  const std::size_t begin = walker.at();
  if (walker.here() == '"' || walker.here() == '\'') {
    const bool is_basic = walker.here() == '"';
    if (!walker.skip_text() || walker.at() < begin + 2) return std::nullopt;
    const auto raw = text.substr(begin + 1, walker.at() - begin - 2);
    return is_basic ? decode_double_quoted(raw) : std::string(raw);
  }
  while (walker.at() < text.size() && is_bare(walker.here()))
    walker.skip(1);
  if (walker.at() == begin) return std::nullopt;
  return std::string(text.substr(begin, walker.at() - begin));
}

bool read_pair(std::string_view text, Walker& walker, TomlPair& pair) {
  auto key = take_key(text, walker);
  if (!key) return false;
  pair.key = std::move(*key);
  walker.skip_blanks();
  while (walker.here() == '.') {
    pair.dotted = true;
    walker.skip(1);
    walker.skip_blanks();
    if (!take_key(text, walker)) break;
    walker.skip_blanks();
  }
  if (walker.here() != '=') {
    pair.key.clear();  // a line of anything
    return false;
  }
  walker.skip(1);
  pair.key_end = walker.at();
  walker.skip_blanks();
  pair.value = {walker.at(), walker.at()};
  if (walker.ends_line() || !walker.skip_value()) return false;
  pair.value.end = walker.at();
  walker.skip_blanks();
  return walker.here() == '#' || walker.ends_line();
}

}  // namespace

TomlText split_toml(std::string_view text) {
  TomlText found;
  std::size_t at = 0;
  std::uint32_t line = 0;
  while (at < text.size()) {
    Walker walker(text, at);
    walker.skip_blanks();
    if (walker.here() == '[') break;
    const bool is_pair = !walker.ends_line() && walker.here() != '#';
    if (is_pair) {
      TomlPair& pair = found.pairs.emplace_back();
      pair.line = line;
      Walker first = walker;
      pair.broken = !read_pair(text, walker, pair);
      if (pair.broken) walker = first;
    }
    walker.skip_line();
    const std::size_t next = std::min(walker.at() + 1, text.size());
    if (is_pair) found.pairs.back().lines = {at, next};
    line += static_cast<std::uint32_t>(std::ranges::count(text.substr(at, next - at), '\n'));
    at = next;
  }
  found.tables_begin = at;
  found.tables_line = line;
  return found;
}

std::optional<std::vector<std::string_view>> items_of_toml_array(std::string_view array) {
  if (!array.starts_with('[')) return std::nullopt;
  std::vector<std::string_view> items;
  Walker walker(array, 1);
  for (;;) {
    const std::size_t before = walker.at();
    walker.skip_space();
    if (array.substr(before, walker.at() - before).find('#') != npos) return std::nullopt;
    if (walker.here() == ']') return items;
    const std::size_t begin = walker.at();
    if (!walker.skip_value()) return std::nullopt;
    items.push_back(array.substr(begin, walker.at() - begin));
    walker.skip_blanks();
    if (walker.here() == ',') walker.skip(1);
  }
}

}  // namespace notesdb
