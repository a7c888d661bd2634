#include "note/body_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "core/link.h"
#include "core/text.h"

namespace notesdb {
namespace {

constexpr auto npos = std::string_view::npos;

// Where a word stands next in a line. What was found, or that there is no more, is kept: asked from
// left to right, however often, the line is gone through once.
class NextPlace {
 public:
  explicit NextPlace(std::string_view word) : word_(word) {}

  std::size_t in(std::string_view text, std::size_t at) {
    if (at < asked_ || at > found_ || !is_known_) {
      found_ = text.find(word_, at);
      is_known_ = true;
    }
    asked_ = at;
    return found_;
  }

 private:
  std::string_view word_;
  bool is_known_ = false;
  std::size_t asked_ = 0;
  std::size_t found_ = 0;
};

constexpr std::array<bool, 256> special_bytes() {
  std::array<bool, 256> special{};
  for (const char c : std::string_view("[]`<\\#%("))
    special[static_cast<unsigned char>(c)] = true;
  return special;
}

bool is_punctuation(char c) {
  return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

// "https:" and "mailto:", of at least two letters so that no drive is one; "//host".
bool is_external(std::string_view target) {
  if (target.starts_with("//")) return true;
  if (target.empty() || !is_letter(target[0])) return false;
  std::size_t end = 1;
  while (end < target.size() && (is_letter(target[end]) || is_digit(target[end]) ||
                                 std::string_view("+.-").find(target[end]) != npos))
    ++end;
  return end > 1 && end < target.size() && target[end] == ':';
}

// "rating" of "**rating**"; empty for what is no key: letters of any script, digits, `_ - /`, spaces.
std::string_view field_key(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view mark : {"**", "__", "*", "_"}) {
    if (text.size() <= 2 * mark.size() || !text.starts_with(mark) || !text.ends_with(mark))
      continue;
    text = text.substr(mark.size(), text.size() - 2 * mark.size());
    break;
  }
  const bool is_key = std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view(" _-/").find(c) != npos;
  });
  return is_key ? text : std::string_view();
}

// The number of bytes of the letter at the beginning that a tag may hold; 0 for one that ends it.
std::size_t tag_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x80) {
    const char c = text[0];
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '/' ? 1 : 0;
  }
  const bool is_space = (byte(0) == 0xC2 && byte(1) == 0xA0) ||
                        (byte(0) == 0xE3 && byte(1) == 0x80 && byte(2) == 0x80) ||
                        (byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF);
  const bool is_general =
      byte(0) == 0xE2 && (byte(1) == 0x80 || (byte(1) == 0x81 && byte(2) < 0xB0));
  const bool is_supplement = byte(0) == 0xE2 && (byte(1) == 0xB8 || byte(1) == 0xB9);
  if (is_space || is_general || is_supplement) return 0;
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  return std::min(size, text.size());
}

std::string_view fence_of(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return "";
  const std::size_t end = std::min(line.find_first_not_of(line[0]), line.size());
  const bool is_code_span = line[0] == '`' && line.find('`', end) != npos;
  return end >= 3 && !is_code_span ? line.substr(0, end) : "";
}

// The end of a list item's marker and the space after it, if the line begins with one; else 0.
std::size_t marker_end(std::string_view line) {
  if (line.empty()) return 0;
  std::size_t end = 1;
  if (is_digit(line[0])) {
    while (end < std::min<std::size_t>(line.size(), 10) && is_digit(line[end]))
      ++end;
    if (end == line.size() || (line[end] != '.' && line[end] != ')')) return 0;
    ++end;
  } else if (std::string_view("-*+").find(line[0]) == npos) {
    return 0;
  }
  const std::size_t text = std::min(line.find_first_not_of(' ', end), line.size());
  return text > end ? text : 0;
}

bool is_wiki_target(std::string_view path) {
  return !path.empty() && path.find("://") == npos;
}

// Fills in what stands between the brackets of a wiki link; false if that is no link.
bool split_wiki(std::string_view inner, BodyLink& link) {
  const std::size_t bar = inner.empty() ? npos : inner.find('|', 1);
  std::string_view target = inner.substr(0, bar);
  link.text = bar == npos ? std::string_view() : trimmed(inner.substr(bar + 1));
  if (bar != npos && target.ends_with('\\')) target.remove_suffix(1);
  const std::size_t hash = target.find('#');
  link.path = trimmed(target.substr(0, hash));
  link.subpath = hash == npos ? std::string_view() : target.substr(hash + 1);
  return is_wiki_target(link.path);
}

bool split_destination(std::string_view target, BodyLink& link) {
  const std::size_t hash = target.find('#');
  link.path = target.substr(0, hash);
  link.subpath = hash == npos ? std::string_view() : target.substr(hash + 1);
  return !link.path.empty() && !is_external(target);
}

class BodyScan {
 public:
  BodyScan(std::string_view body, const BodyParts& parts) : body_(body), parts_(parts) {}

  void run() {
    // Every link that is no tag begins with one of these.
    if (only_links_ && body_.find('[') == npos && body_.find('{') == npos) return;
    for (; at_ < body_.size(); ++line_number_) {
      begin_line();
      if (!take_fence()) {
        if (!take_task()) take_line_field();
        take_line();
      }
      at_ = std::max(at_, line_end_ + 1);
    }
  }

 private:
  struct Open {
    std::size_t at = 0;
    bool is_embed = false;
  };
  static constexpr std::size_t max_ticks = 80;

  void begin_line() {
    line_begin_ = at_;
    line_end_ = std::min(body_.find('\n', at_), body_.size());
    line_ = body_.substr(0, line_end_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    open_.clear();
    knows_ticks_ = false;
  }

  // Whether the line is a part of a block of code. Quotes and list items may hold one.
  bool take_fence() {
    const std::string_view line = line_.substr(at_);
    const std::size_t first = line.find_first_not_of(" \t>");
    in_table_ = first != npos && line[first] == '|';
    if (first == npos) return !fence_.empty();
    if (!fence_.empty()) {
      const std::string_view fence = fence_of(line.substr(first));
      const bool closes =
          fence.starts_with(fence_) && trimmed(line.substr(first)).size() == fence.size();
      if (closes) fence_ = {};
      return true;
    }
    const char c = line[first];
    if (c != '`' && c != '~') {
      const std::size_t text = first + marker_end(line.substr(first));
      fence_ = text == first ? std::string_view() : fence_of(line.substr(text));
    } else {
      fence_ = fence_of(line.substr(first));
    }
    return !fence_.empty();
  }

  // Whether the line is one, wanted or not.
  bool take_task() {
    if ((!parts_.task && !parts_.field) || in_percent_) return false;
    const std::string_view line = line_.substr(at_);
    const std::size_t first = line.find_first_not_of(" \t>");
    if (first == npos) return false;
    const std::size_t text = first + marker_end(line.substr(first));
    if (text == first || text >= line.size() || line[text] != '[') return false;
    const std::size_t close = line.find(']', text + 2);
    if (close == npos || close > text + 5 || line.substr(close, 2) != "] ") return false;
    const std::string_view box = line.substr(text + 1, close - text - 1);
    const auto letters = std::ranges::count_if(
        box, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    if (letters != 1) return false;
    if (parts_.task) parts_.task({box, trimmed(line.substr(close + 2)), line_number_});
    return true;
  }

  // A field that takes the rest of its line.
  void take_line_field() {
    if (!parts_.field) return;
    const std::string_view line = line_.substr(at_);
    const std::size_t first = line.find_first_not_of(" \t>");
    if (first == npos) return;
    const std::size_t text = first + marker_end(line.substr(first));
    const std::size_t colons = line.find("::", text);
    if (colons == npos) return;
    emit_field(line.substr(text, colons - text), line.substr(colons + 2));
  }

  // Behind the colons stands white space, so that `std::vector` is none.
  void emit_field(std::string_view before, std::string_view value) {
    const std::string_view key = field_key(before);
    const bool is_apart = value.empty() || is_blank(value.front());
    if (!key.empty() && is_apart) parts_.field(key, trimmed(value));
  }

  // (key:: value), up to the first parenthesis that closes.
  void take_field() {
    const std::size_t begin = ++at_;
    if (!parts_.field) return;
    const std::size_t close = field_close_.in(body_, begin);
    const std::size_t colons = field_colons_.in(body_, begin);
    if (close >= line_.size() || colons >= close) return;
    emit_field(line_.substr(begin, colons - begin), line_.substr(colons + 2, close - colons - 2));
  }

  // Where only links are wanted most lines have none, and are passed over fast.
  bool may_hold_link() const {
    const std::string_view line = line_.substr(std::min(at_, line_.size()));
    return line.find('[') != npos || line.find('<') != npos || line.find('{') != npos;
  }

  // What begins no link and hides none is passed over where only links are wanted.
  std::size_t next_of_links(std::size_t at) {
    std::size_t next = line_.size();
    for (NextPlace& place : link_marks_)
      next = std::min(next, place.in(body_, at));
    return next;
  }

  std::size_t next_special(std::size_t at) {
    if (only_links_) return next_of_links(at);
    static constexpr std::array<bool, 256> special = special_bytes();
    const char* const text = line_.data();
    const std::size_t end = line_.size();
    while (at < end && !special[static_cast<unsigned char>(text[at])])
      ++at;
    return at;
  }

  void take_line() {
    if (only_links_ && !may_hold_link()) return;
    for (at_ = next_special(at_); at_ < line_.size(); at_ = next_special(at_)) {
      switch (line_[at_]) {
        case '[': open_bracket(); break;
        case ']': close_bracket(); break;
        case '`': skip_code(); break;
        case '<':
          if (!take_shortcode()) skip_comment();
          break;
        case '#': take_tag(); break;
        case '(': take_field(); break;
        case '\\': skip_escape(); break;
        default:
          if (!take_shortcode()) take_percent();
      }
    }
  }

  void skip_escape() {
    const bool is_escape = at_ + 1 < line_.size() && is_punctuation(line_[at_ + 1]);
    at_ += is_escape ? 2 : 1;
    if (is_escape) escape_end_ = at_;
  }

  // {{< ref "x" >}}, {{% relref "x" %}}, {% link x %}, {% post_url x %}; any other shortcode is text.
  bool take_shortcode() {
    const std::size_t begin = at_ - std::min<std::size_t>(at_ - line_begin_, 2);
    const bool is_hugo = line_.substr(begin, at_ - begin) == "{{";
    const bool is_tag = !is_hugo && at_ > line_begin_ && line_[at_ - 1] == '{' && line_[at_] == '%';
    if (!is_hugo && !is_tag) return false;
    NextPlace& end = is_tag ? tag_close_ : line_[at_] == '<' ? shortcode_close_ : percent_close_;
    const std::size_t close = end.in(body_, at_ + 1);
    if (close >= (is_tag ? body_ : line_).size()) return false;
    std::string_view inner = body_.substr(at_ + 1, close - at_ - 1);
    if (is_tag && inner.find("{%") != npos) return false;
    if (inner.starts_with('-')) inner.remove_prefix(1);
    if (inner.ends_with('-')) inner.remove_suffix(1);
    inner = trimmed(inner);
    const std::string_view word = inner.substr(0, inner.find_first_of(" \t\r\n"));
    const bool is_link =
        is_hugo ? word == "ref" || word == "relref" : word == "link" || word == "post_url";
    if (!is_link) return false;
    BodyLink link;
    link.form = LinkForm::shortcode;
    const std::size_t open = is_tag ? at_ - 1 : begin;
    at_ = close + (is_tag ? 2 : 3);
    link.written = body_.substr(open, at_ - open);
    const std::string_view arguments = trimmed(inner.substr(word.size()));
    const std::string_view target = is_tag && arguments.find_first_of("\"'{=") == npos
                                        ? arguments
                                        : shortcode_target(arguments);
    if (split_destination(target, link) && parts_.link) parts_.link(link);
    if (at_ > line_end_) continue_below();
    return true;
  }

  // What was read ended below its line: the rest of that one is read as the line's.
  void continue_below() {
    const auto begin = body_.begin() + static_cast<std::ptrdiff_t>(line_end_);
    const auto end = body_.begin() + static_cast<std::ptrdiff_t>(at_);
    line_number_ += static_cast<std::uint32_t>(std::count(begin, end, '\n'));
    begin_line();
  }

  // The first argument, between quotes or up to a space; none that a template computes.
  static std::string_view shortcode_target(std::string_view arguments) {
    if (arguments.empty()) return {};
    const char quote = arguments.front();
    if (quote == '"' || quote == '`' || quote == '\'') {
      const std::size_t close = arguments.find(quote, 1);
      return close == npos ? std::string_view() : arguments.substr(1, close - 1);
    }
    const std::string_view word = arguments.substr(0, arguments.find_first_of(" \t"));
    return word.find_first_of("{=") == npos ? word : std::string_view();
  }

  // A comment may end many lines below; what stands behind it continues its line.
  void skip_comment() {
    if (!line_.substr(at_).starts_with("<!--")) {
      ++at_;
      return;
    }
    const std::size_t close = comment_close_.in(body_, at_ + 4);
    if (close == npos) {
      at_ += 4;
      return;
    }
    at_ = close + 3;
    if (at_ > line_end_) continue_below();
  }

  void take_percent() {
    if (line_.substr(at_).starts_with("%%")) {
      in_percent_ = !in_percent_;
      ++at_;
    }
    ++at_;
  }

  // As many backticks close as open; where none do, they are text. One look to the end of the line
  // tells where the last of each length stands.
  void skip_code() {
    const std::size_t open = run_end(at_);
    const std::size_t count = open - at_;
    at_ = open;
    if (count > max_ticks || (knows_ticks_ && last_ticks_[count] < open)) return;
    if (!knows_ticks_) last_ticks_.fill(0);
    for (std::size_t at = line_.find('`', open); at != npos; at = line_.find('`', at)) {
      const std::size_t end = run_end(at);
      if (end - at == count) {
        at_ = end;
        return;
      }
      if (!knows_ticks_ && end - at <= max_ticks) last_ticks_[end - at] = at;
      at = end;
    }
    knows_ticks_ = true;
  }

  std::size_t run_end(std::size_t at) const {
    return std::min(line_.find_first_not_of('`', at), line_.size());
  }

  void take_tag() {
    const bool begins = at_ == line_begin_ || is_blank(line_[at_ - 1]) || escape_end_ == at_;
    const std::size_t begin = ++at_;
    std::size_t size = 0;
    while (at_ < line_.size() && (size = tag_letter(line_.substr(at_))) > 0)
      at_ += size;
    std::string_view tag = line_.substr(begin, at_ - begin);
    while (tag.ends_with('/'))
      tag.remove_suffix(1);
    const bool is_number = tag.find_first_not_of("0123456789") == npos;
    if (!begins || is_number) return;
    if (parts_.tag) parts_.tag(tag);
    if (!parts_.tag_links || !parts_.link || !open_.empty()) return;
    BodyLink link;
    link.form = LinkForm::tag;
    link.written = line_.substr(begin - 1, tag.size() + 1);
    link.path = tag;
    parts_.link(link);
  }

  void open_bracket() {
    if (line_.substr(at_).starts_with("[[") && take_wiki()) return;
    open_.push_back({at_, at_ > line_begin_ && line_[at_ - 1] == '!'});
    ++at_;
  }

  bool take_wiki() {
    const std::size_t close = wiki_close_.in(body_, at_ + 2);
    if (close == npos || close + 2 > line_.size()) return false;
    // Brackets in between begin another link.
    if (wiki_open_.in(body_, at_ + 1) < close) return false;
    BodyLink link;
    link.is_embed = at_ > line_begin_ && line_[at_ - 1] == '!';
    link.in_table = in_table_;
    link.written = line_.substr(at_, close + 2 - at_);
    if (split_wiki(link.written.substr(2, close - at_ - 2), link) && parts_.link) parts_.link(link);
    at_ = close + 2;
    return true;
  }

  void close_bracket() {
    const std::size_t close = at_++;
    if (open_.empty()) return;
    const Open open = open_.back();
    open_.pop_back();
    if (parts_.field) take_bracket_field(line_.substr(open.at + 1, close - open.at - 1));
    if (close + 1 >= line_.size()) return;
    BodyLink link;
    link.is_embed = open.is_embed;
    link.text = line_.substr(open.at + 1, close - open.at - 1);
    if (line_[close + 1] == '(') {
      take_inline(open.at, close + 2, link);
    } else if (line_[close + 1] == ':' && is_definition(open.at, link.text)) {
      take_definition(open.at, close + 2, link);
    }
  }

  void take_bracket_field(std::string_view inner) {
    // Only what stands before the first bracket within can be a key.
    const std::size_t colons = inner.substr(0, inner.find('[')).find("::");
    if (colons != npos) emit_field(inner.substr(0, colons), inner.substr(colons + 2));
  }

  bool is_definition(std::size_t open, std::string_view label) const {
    const std::size_t first = line_.find_first_not_of(" \t>", line_begin_);
    return first == open && !label.empty() && label[0] != '^' && !trimmed(label).empty();
  }

  void take_inline(std::size_t open, std::size_t from, BodyLink& link) {
    std::size_t at = take_destination(from, link);
    if (at == npos) return;
    at = skip_title(at);
    if (at >= line_.size() || line_[at] != ')') return;
    at_ = at + 1;
    emit(open, at_, link);
  }

  void take_definition(std::size_t open, std::size_t from, BodyLink& link) {
    link.form = LinkForm::definition;
    std::size_t at = take_destination(from, link);
    if (at == npos || skip_title(at) != line_.size()) return;
    at_ = line_.size();
    link.text = {};
    emit(open, at, link);
  }

  void emit(std::size_t begin, std::size_t end, BodyLink& link) {
    if (link.form == LinkForm::wiki) link.form = LinkForm::markdown;
    link.written = line_.substr(begin, end - begin);
    if (split_destination(link.path, link) && parts_.link) parts_.link(link);
  }

  // The end of a destination, which is then in link.path; npos if there is none.
  std::size_t take_destination(std::size_t from, BodyLink& link) {
    std::size_t at = std::min(line_.find_first_not_of(" \t", from), line_.size());
    if (at < line_.size() && line_[at] == '<') {
      const std::size_t close = angle_close_.in(body_, at + 1);
      if (close >= line_.size() || angle_open_.in(body_, at + 1) < close) return npos;
      link.in_angles = true;
      link.path = line_.substr(at + 1, close - at - 1);
      return close + 1;
    }
    if (line_.substr(at, 2) == "[[") return npos;  // Logseq: [text]([[Page]])
    const std::size_t begin = at;
    std::size_t depth = 0;
    for (; at < line_.size(); ++at) {
      const char c = line_[at];
      if (static_cast<unsigned char>(c) <= ' ') break;
      if (c == '\\' && at + 1 < line_.size() && is_punctuation(line_[at + 1])) {
        ++at;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')') {
        if (depth-- == 0) break;
      } else if (c == ']' && line_.substr(at, 2) == "](") {
        return npos;  // of another link; so no character is looked at for two of them
      }
    }
    if (at == begin) return npos;
    link.path = line_.substr(begin, at - begin);
    return at;
  }

  // Behind the title that may follow a destination, and the spaces around it.
  std::size_t skip_title(std::size_t at) {
    const std::size_t title = std::min(line_.find_first_not_of(" \t", at), line_.size());
    if (title == at || title == line_.size()) return title;
    const char c = line_[title];
    if (c != '"' && c != '\'' && c != '(') return title;
    NextPlace& place = c == '"' ? quote_ : c == '\'' ? apostrophe_ : parenthesis_;
    const std::size_t close = place.in(body_, title + 1);
    if (close >= line_.size()) return npos;
    return std::min(line_.find_first_not_of(" \t", close + 1), line_.size());
  }

  std::string_view body_;
  const BodyParts& parts_;
  bool only_links_ = !parts_.tag && !parts_.task && !parts_.field && !parts_.tag_links;
  std::size_t at_ = 0;
  std::uint32_t line_number_ = 0;
  std::string_view line_;  // the body up to the end of the line
  std::size_t line_begin_ = 0;
  std::size_t line_end_ = 0;
  std::string_view fence_;  // that opened the block of code which the line is in
  bool in_table_ = false;
  bool in_percent_ = false;
  std::size_t escape_end_ = npos;
  std::vector<Open> open_;
  bool knows_ticks_ = false;
  std::array<std::size_t, max_ticks + 1> last_ticks_{};
  NextPlace comment_close_{"-->"};
  NextPlace wiki_open_{"[["};
  NextPlace wiki_close_{"]]"};
  NextPlace field_close_{")"};
  NextPlace field_colons_{"::"};
  NextPlace angle_open_{"<"};
  NextPlace angle_close_{">"};
  NextPlace quote_{"\""};
  NextPlace apostrophe_{"'"};
  NextPlace parenthesis_{")"};
  NextPlace shortcode_close_{">}}"};
  NextPlace percent_close_{"%}}"};
  NextPlace tag_close_{"%}"};
  std::array<NextPlace, 6> link_marks_{NextPlace("["),
                                       NextPlace("]"),
                                       NextPlace("`"),
                                       NextPlace("<"),
                                       NextPlace("\\"),
                                       NextPlace("%")};
};

}  // namespace

bool is_tag_name(std::string_view text) {
  if (text.ends_with('/') || text.find_first_not_of("0123456789") == npos) return false;
  while (!text.empty()) {
    const std::size_t size = tag_letter(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void scan_body(std::string_view body, const BodyParts& parts) {
  BodyScan(body, parts).run();
}

bool scan_whole_link(std::string_view text, BodyLink& link) {
  text = trimmed(text);
  if (!text.starts_with('[')) return false;
  bool is_whole = false;
  scan_body(text, {.link = [&](const BodyLink& found) {
              if (found.written.size() != text.size() || found.form == LinkForm::definition) return;
              is_whole = true;
              link = found;
            }});
  return is_whole;
}

std::string path_meant(const BodyLink& link) {
  std::string path;
  const bool is_markdown = link.form == LinkForm::markdown || link.form == LinkForm::definition;
  if (!is_markdown) {
    path = link.path;
  } else {
    std::string plain;
    for (std::size_t i = 0; i < link.path.size(); ++i) {
      const bool is_escape = !link.in_angles && link.path[i] == '\\' && i + 1 < link.path.size() &&
                             is_punctuation(link.path[i + 1]);
      plain += link.path[is_escape ? ++i : i];
    }
    path = percent_decoded(plain);
  }
  for (std::size_t at = path.find("\xC2\xA0"); at != npos; at = path.find("\xC2\xA0", at))
    path.replace(at, 2, " ");
  return path;
}

}  // namespace notesdb
