#include "bases/note_text.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace notesdb::bases {

namespace {

constexpr auto npos = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// What a reader sees of a wiki link without an alias: "Other > Section".
std::string shown_target(std::string_view target) {
  std::string shown;
  for (const char c : target) {
    if (c == '#')
      shown += shown.empty() ? "" : " > ";
    else
      shown += c;
  }
  return shown;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// As decodeURI does it: what would stand for a part of an address stays an escape.
std::string decoded(std::string_view text) {
  constexpr std::string_view reserved = ";/?:@&=+$,#";
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape = text[at] == '%' && at + 2 < text.size() &&
                           hex_digit(text[at + 1]) >= 0 && hex_digit(text[at + 2]) >= 0;
    const char c = is_escape
                       ? static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]))
                       : text[at];
    if (is_escape && reserved.find(c) != npos) {
      plain += text.substr(at, 3);
      at += 2;
    } else {
      plain += c;
      at += is_escape ? 2 : 0;
    }
  }
  return plain;
}

bool is_address(std::string_view target) {
  const std::size_t colon = target.find(':');
  if (colon == npos || colon < 2) return false;
  return std::ranges::all_of(target.substr(0, colon), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  });
}

std::optional<TextLink> wiki_link(std::string_view inner) {
  const std::size_t bar = inner.find('|');
  TextLink link{.target = std::string(trimmed(inner.substr(0, bar))), .display = {}};
  if (link.target.empty()) return std::nullopt;
  link.display =
      bar == npos ? shown_target(link.target) : std::string(trimmed(inner.substr(bar + 1)));
  return link;
}

std::optional<TextLink> markdown_link(std::string_view text, std::string_view inner) {
  inner = trimmed(inner);
  if (inner.starts_with('<'))
    inner = inner.substr(1, inner.find('>') - 1);
  else
    inner = inner.substr(0, inner.find_first_of(" \t"));
  if (inner.empty() || is_address(inner)) return std::nullopt;
  return TextLink{.target = decoded(inner), .display = std::string(text)};
}

bool continues_tag(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '/' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// The parts of one line, from left to right.
class Line {
 public:
  Line(std::string_view line, TextParts& parts) : line_(line), parts_(parts) {}

  void read() {
    while (at_ < line_.size()) {
      if (line_[at_] == '`')
        skip_code();
      else if (line_[at_] == '[')
        read_link();
      else if (line_[at_] == '#')
        read_tag();
      else if (line_[at_] == '\\')
        at_ += 2;
      else
        ++at_;
    }
  }

 private:
  // Backticks close with as many as open; where none do, they are text.
  void skip_code() {
    const std::size_t open = std::min(line_.find_first_not_of('`', at_), line_.size());
    const std::string_view ticks = line_.substr(at_, open - at_);
    const std::size_t close = has_no_close_ ? npos : line_.find(ticks, open);
    has_no_close_ = has_no_close_ || (close == npos && ticks.size() == 1);
    at_ = close == npos ? open : close + ticks.size();
  }

  void add(std::optional<TextLink> link, std::size_t begin, std::size_t end) {
    if (link) {
      link->is_embed = begin > 0 && line_[begin - 1] == '!';
      parts_.links.push_back(*std::move(link));
    }
    at_ = end;
  }

  void read_link() {
    const std::size_t begin = at_;
    if (line_.substr(at_).starts_with("[[")) {
      const std::size_t close = knows_no_wiki_ ? npos : line_.find("]]", at_);
      knows_no_wiki_ = close == npos;
      const std::string_view inner = close == npos ? "" : line_.substr(at_ + 2, close - at_ - 2);
      if (close != npos && inner.find("[[") == npos) return add(wiki_link(inner), begin, close + 2);
      ++at_;
      return;
    }
    // A link's text has no brackets of its own here: the nearest bracket decides.
    const std::size_t bracket = line_.find_first_of("[]", at_ + 1);
    if (bracket == npos || line_.substr(bracket, 2) != "](") {
      ++at_;
      return;
    }
    const std::size_t close = closing_parenthesis(bracket + 2);
    if (close == npos) {
      at_ = bracket + 1;
      return;
    }
    add(markdown_link(line_.substr(begin + 1, bracket - begin - 1),
                      line_.substr(bracket + 2, close - bracket - 2)),
        begin,
        close + 1);
  }

  std::size_t closing_parenthesis(std::size_t from) {
    constexpr std::size_t max_target = 2'000;
    std::size_t open = 1;
    for (std::size_t at = from; at < std::min(line_.size(), from + max_target); ++at) {
      if (line_[at] == '(') ++open;
      if (line_[at] == ')' && --open == 0) return at;
    }
    return npos;
  }

  void read_tag() {
    const bool is_begin = at_ == 0 || line_[at_ - 1] == ' ' || line_[at_ - 1] == '\t';
    const std::size_t begin = ++at_;
    while (at_ < line_.size() && continues_tag(line_[at_]))
      ++at_;
    const std::string_view tag = line_.substr(begin, at_ - begin);
    const bool is_number = tag.find_first_not_of("0123456789") == npos;
    if (is_begin && !is_number) parts_.tags.emplace_back(tag);
  }

  std::string_view line_;
  TextParts& parts_;
  std::size_t at_ = 0;
  bool has_no_close_ = false;   // no single backtick closes behind
  bool knows_no_wiki_ = false;  // no `]]` stands behind
};

std::string_view fence_of(std::string_view line) {
  const std::size_t text = line.find_first_not_of(' ');
  if (text == npos || text > 3) return "";
  const char c = line[text];
  if (c != '`' && c != '~') return "";
  const std::size_t end = std::min(line.find_first_not_of(c, text), line.size());
  return end - text >= 3 ? line.substr(text, end - text) : "";
}

}  // namespace

TextParts parts_of_text(std::string_view body) {
  TextParts parts;
  std::string_view open;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    const std::string_view fence = fence_of(line);
    if (!open.empty()) {
      const bool closes = fence.starts_with(open) && trimmed(line).size() == fence.size();
      if (closes) open = {};
    } else if (!fence.empty()) {
      open = fence;
    } else {
      Line(line, parts).read();
    }
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return parts;
}

TextLink link_of_field(std::string_view text) {
  text = trimmed(text);
  TextParts parts;
  Line(text, parts).read();
  const bool is_whole = parts.links.size() == 1 && text.starts_with('[') &&
                        (text.ends_with(']') || text.ends_with(')'));
  if (!is_whole) return {};
  TextLink link = std::move(parts.links[0]);
  const bool has_own = text.ends_with(')') || text.find('|') != npos;
  if (!has_own) link.display.clear();
  return link;
}

}  // namespace notesdb::bases
