#include "note/body_links.h"

#include <algorithm>
#include <vector>

namespace notesdb {
namespace {

bool is_fence(std::string_view line) {
  const std::size_t text = line.find_first_not_of(' ');
  if (text == std::string_view::npos || text > 3) return false;
  return line.substr(text).starts_with("```") || line.substr(text).starts_with("~~~");
}

constexpr auto npos = std::string_view::npos;

// Where a word stands next in a line. What was found, or that there is no more, is kept: asked from
// left to right, however often, the line is gone through once.
class NextPlace {
 public:
  NextPlace(std::string_view line, std::string_view word) : line_(line), word_(word) {}

  std::size_t from(std::size_t at) {
    if (at < asked_ || at > found_ || !is_known_) {
      found_ = line_.find(word_, at);
      is_known_ = true;
    }
    asked_ = at;
    return found_;
  }

 private:
  std::string_view line_;
  std::string_view word_;
  bool is_known_ = false;
  std::size_t asked_ = 0;
  std::size_t found_ = 0;
};

// The links of one line, looked for from left to right. Every step looks at what no other step of
// its kind has looked at, so that no line, whatever brackets and backticks it is made of, takes
// longer than its length.
class LineLinks {
 public:
  explicit LineLinks(std::string_view line) : line_(line) {}

  void visit(const std::function<void(const BodyLink&)>& visit) {
    for (std::size_t at = line_.find_first_of("[`"); at != npos;
         at = line_.find_first_of("[`", at)) {
      if (line_[at] == '`') {
        at = behind_code(at);
        continue;
      }
      const std::size_t end = link_end(at);
      const std::string_view written = line_.substr(at, end - at);
      const auto link = written.empty() ? std::nullopt : parse_link(written);
      if (!link) {
        ++at;
        continue;
      }
      visit({*link, written.starts_with("[[") ? LinkForm::wiki : LinkForm::markdown, written});
      at = end;
    }
  }

 private:
  // After the backticks that close what opens at `at`; only past the opening ones if none do.
  std::size_t behind_code(std::size_t at) {
    const std::size_t open = std::min(line_.find_first_not_of('`', at), line_.size());
    const std::size_t count = open - at;
    if (!has_ticks(open, count)) return open;
    return line_.find(line_.substr(at, count), open) + count;
  }

  // A run of backticks that has no longer one after it.
  struct Ticks {
    std::size_t begin = 0;
    std::size_t count = 0;
  };

  // Whether so many backticks in a row stand at `from` or after it.
  bool has_ticks(std::size_t from, std::size_t count) {
    if (!knows_ticks_) find_longest_ticks(from);
    while (!longest_ticks_.empty() && longest_ticks_.back().begin < from)
      longest_ticks_.pop_back();
    return !longest_ticks_.empty() && longest_ticks_.back().count >= count;
  }

  // From the last to the first; the counts fall from the left to the right.
  void find_longest_ticks(std::size_t from) {
    knows_ticks_ = true;
    for (std::size_t end = line_.size(); end > from;) {
      const std::size_t last = line_.find_last_of('`', end - 1);
      if (last == npos || last < from) break;
      const std::size_t before = line_.find_last_not_of('`', last);
      const std::size_t begin = std::max(before == npos ? 0 : before + 1, from);
      const std::size_t count = last + 1 - begin;
      if (longest_ticks_.empty() || count > longest_ticks_.back().count)
        longest_ticks_.push_back({begin, count});
      end = begin;
    }
  }

  // The end of the link that may begin at `at`, or `at` if none does.
  std::size_t link_end(std::size_t at) {
    return line_.substr(at).starts_with("[[") ? wiki_end(at) : markdown_end(at);
  }

  std::size_t wiki_end(std::size_t at) {
    const std::size_t close = wiki_close_.from(at);
    // Brackets in between begin another link.
    return close == npos || wiki_open_.from(at + 2) < close ? at : close + 2;
  }

  std::size_t markdown_end(std::size_t at) {
    const std::size_t middle = middle_.from(at);
    // A bracket in between begins another link, nearer to the target.
    if (middle == npos || bracket_.from(at + 1) < middle) return at;
    const std::size_t close = close_.from(middle);
    if (close == npos || !may_name_row(middle + 2, close)) return at;
    return close + 1;
  }

  // Whether the target between the parentheses is one that parse_link takes: no address, and not
  // only a place within the text. What of it may hold another link is not looked at: a target that
  // continues with a bracket is no empty one, whatever comes after.
  bool may_name_row(std::size_t begin, std::size_t close) {
    const std::size_t first = std::min(line_.find_first_not_of(" \t\r", begin), close);
    const std::size_t end = std::min(close, title_.from(first));
    if (first == end || scheme_.from(first) < end) return false;
    const std::string_view rest = line_.substr(first, end - first);
    if (std::string_view("#%.<").find(rest.front()) == npos) return !rest.starts_with("mailto:");
    const bool is_bracketed = rest.front() == '<' && line_[last_letter(first, end)] == '>';
    const std::size_t stop = std::min(end, bracket_.from(first));
    std::string head = "[](" + std::string(line_.substr(first, stop - first));
    if (stop < end) head += is_bracketed ? "[>" : "[";
    return parse_link(head + ")").has_value();
  }

  // The last character that is no space; there is one.
  std::size_t last_letter(std::size_t begin, std::size_t end) {
    if (trimmed_end_ != end || last_letter_ < begin) {
      trimmed_end_ = end;
      last_letter_ = line_.find_last_not_of(" \t\r", end - 1);
    }
    return last_letter_;
  }

  std::string_view line_;
  NextPlace wiki_open_{line_, "[["};
  NextPlace wiki_close_{line_, "]]"};
  NextPlace bracket_{line_, "["};
  NextPlace middle_{line_, "]("};
  NextPlace close_{line_, ")"};
  NextPlace title_{line_, " \""};
  NextPlace scheme_{line_, "://"};
  std::size_t trimmed_end_ = 0;
  std::size_t last_letter_ = 0;
  bool knows_ticks_ = false;
  std::vector<Ticks> longest_ticks_;
};

}  // namespace

void for_each_link(std::string_view body, const std::function<void(const BodyLink&)>& visit) {
  bool in_code = false;
  for (std::size_t start = 0; start < body.size();) {
    const std::size_t end = std::min(body.find('\n', start), body.size());
    const std::string_view line = body.substr(start, end - start);
    if (is_fence(line)) {
      in_code = !in_code;
    } else if (!in_code) {
      LineLinks(line).visit(visit);
    }
    start = end + 1;
  }
}

}  // namespace notesdb
