#include "note/links.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/link.h"
#include "yaml/node.h"
#include "yaml/scalar.h"

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

namespace {

std::string path_of(std::string_view database, std::string_view row_id) {
  return database == "." ? std::string(row_id) : std::string(database) + "/" + std::string(row_id);
}

// Adds the names of a path; false where it climbs over the root.
bool walk(std::string_view path, std::vector<std::string_view>& names) {
  while (!path.empty()) {
    std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
    } else if (names.empty()) {
      return false;
    } else {
      names.pop_back();
    }
  }
  return true;
}

// What a new name must spell otherwise inside [text](...); `old` shows how the letters beyond
// ASCII were spelled.
std::string percent_encoded(std::string_view text, std::string_view old) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view delicate = " ()<>%#\"\\";
  bool spells_out = old.find('%') != std::string_view::npos;
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (delicate.find(c) == std::string_view::npos && (byte < 0x80 || !spells_out)) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

// Where the target of a link stands in its text, without the ending .md.
Span target_of(std::string_view written, LinkForm form) {
  constexpr std::string_view blanks = " \t";
  Span span{2, written.size() - 2};
  bool is_bracketed = false;
  if (form == LinkForm::markdown) {
    span = {written.find("](") + 2, written.size() - 1};
    span.begin = std::min(written.find_first_not_of(blanks, span.begin), span.end);
    span.end = std::min(span.end, written.find(" \"", span.begin));
    is_bracketed = written[span.begin] == '<';
    if (is_bracketed) ++span.begin;
  }
  std::string_view ends = form == LinkForm::wiki ? "|#" : is_bracketed ? ">#" : "#";
  span.end = std::min(span.end, written.find_first_of(ends, span.begin));
  span.begin = std::min(written.find_first_not_of(blanks, span.begin), span.end);
  while (span.end > span.begin && blanks.find(written[span.end - 1]) != std::string_view::npos)
    --span.end;
  if (written.substr(span.begin, span.end - span.begin).ends_with(".md")) span.end -= 3;
  return span;
}

// Whether markdown's target is spelled with escapes: not so between < and >.
bool is_escaped(std::string_view written, LinkForm form, Span target) {
  return form == LinkForm::markdown && written[target.begin - 1] != '<';
}

// The link with its target ending in the new id where it ended in the old one.
std::optional<std::string> with_new_id(const Relink& how,
                                       std::string_view written,
                                       LinkForm form,
                                       std::string_view tail) {
  Span target = target_of(written, form);
  std::string wanted = how.old_id + std::string(tail);
  for (std::size_t begin = target.end; begin-- > target.begin;) {
    if (begin > target.begin && written[begin - 1] != '/') continue;
    std::string_view old = written.substr(begin, target.end - begin);
    if (old.size() > 3 * wanted.size()) break;  // longer than each of its letters as an escape
    if ((form == LinkForm::wiki ? std::string(old) : percent_decoded(old)) != wanted) continue;
    std::string name = how.new_id + std::string(tail);
    if (is_escaped(written, form, target)) name = percent_encoded(name, old);
    return std::string(written.substr(0, begin)) + name + std::string(written.substr(target.end));
  }
  return std::nullopt;
}

// For a note that stands in a sub-folder with the row, so that its link holds only a part of the
// id: the whole path again.
std::string with_new_path(const Relink& how, std::string_view written, std::string_view tail) {
  Span target = target_of(written, LinkForm::markdown);
  std::string_view old = written.substr(target.begin, target.end - target.begin);
  std::string path = path_of(how.target, how.new_id) + std::string(tail);
  std::vector<std::string_view> here;
  std::vector<std::string_view> there;
  if (!walk(how.folder, here) || !walk(path, there)) return std::string(written);
  auto [a, b] = std::mismatch(here.begin(), here.end(), there.begin(), there.end() - 1);
  std::string relative;
  for (; a != here.end(); ++a)
    relative += "../";
  for (; b != there.end(); ++b)
    relative += std::string(*b) + (b + 1 == there.end() ? "" : "/");
  if (is_escaped(written, LinkForm::markdown, target)) relative = percent_encoded(relative, old);
  return std::string(written.substr(0, target.begin)) + relative +
         std::string(written.substr(target.end));
}

std::optional<std::string> new_wiki_link(const Relink& how, const BodyLink& link) {
  const std::string& name = link.link.target;
  if (name == path_of(how.target, how.old_id) || (how.near && name == how.old_id)) {
    return with_new_id(how, link.written, LinkForm::wiki, "");
  }
  if (how.tail.empty() || name != path_of(how.target, how.old_id) + how.tail) return std::nullopt;
  return with_new_id(how, link.written, LinkForm::wiki, how.tail);
}

std::optional<std::string> new_markdown_link(const Relink& how, const BodyLink& link) {
  std::string path = resolve_path(how.folder, link.link.target);
  std::string row = path_of(how.target, how.old_id);
  if (path != row && path != row + how.tail) return std::nullopt;
  std::string_view tail = path == row ? std::string_view() : std::string_view(how.tail);
  auto changed = with_new_id(how, link.written, LinkForm::markdown, tail);
  return changed ? changed : with_new_path(how, link.written, tail);
}

// A relation's text with the new id.
std::string new_relation(const Relink& how, const std::string& text) {
  if (row_named_by(text, how.target) != how.old_id) return text;
  if (!parse_link(text)) return text.substr(0, text.size() - how.old_id.size()) + how.new_id;
  std::size_t begin = text.find_first_not_of(" \t\r\n");
  std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
  std::string_view link = std::string_view(text).substr(begin, end - begin);
  LinkForm form = link.starts_with("[[") ? LinkForm::wiki : LinkForm::markdown;
  auto changed = with_new_id(how, link, form, "");
  return changed ? text.substr(0, begin) + *changed + text.substr(end) : text;
}

using TextEdit = std::string (*)(const Relink&, const std::string&);

std::string new_links(const Relink& how, const std::string& text) {
  return relink_text(how, text);
}

Value new_value(const Relink& how, const Value& value, TextEdit edit) {
  if (value.is_text()) return edit(how, value.text());
  if (value.is_map()) {
    Map map;
    for (const Member& member : value.map())
      map.push_back({member.key, new_value(how, member.value, edit)});
    return map;
  }
  if (!value.is_list()) return value;
  List list;
  for (const Value& item : value.list())
    list.push_back(new_value(how, item, edit));
  return list;
}

// Text and what no schema speaks of may hold links; a select's option or a date does not.
bool may_hold_links(const Column* column) {
  return column == nullptr || column->type == ColumnType::text ||
         column->type == ColumnType::list || column->type == ColumnType::relation ||
         column->type == ColumnType::json;
}

Value new_field(const Relink& how, const Column* column, const Value& before) {
  bool names_rows = column != nullptr && column->type == ColumnType::relation;
  if (names_rows && column->target == how.target) return new_value(how, before, new_relation);
  return may_hold_links(column) ? new_value(how, before, new_links) : before;
}

}  // namespace

std::string resolve_path(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> names;
  if (!walk(path.starts_with('/') ? "" : folder, names) || !walk(path, names)) return "";
  std::string whole;
  for (std::string_view name : names)
    whole += (whole.empty() ? "" : "/") + std::string(name);
  return whole;
}

Value relink_relation(const Relink& how, const Value& value) {
  return new_value(how, value, new_relation);
}

std::string relink_text(const Relink& how, std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  for_each_link(text, [&](const BodyLink& link) {
    auto changed =
        link.form == LinkForm::wiki ? new_wiki_link(how, link) : new_markdown_link(how, link);
    if (!changed) return;
    auto begin = static_cast<std::size_t>(link.written.data() - text.data());
    result += text.substr(copied, begin - copied);
    result += *changed;
    copied = begin + link.written.size();
  });
  return result += text.substr(copied);
}

Result<Edit> relink(const Schema& schema, const Relink& how, Note& note) {
  Note changed = note;
  Edit outcome = Edit::unchanged;
  for (const NoteField& field : note.fields()) {
    if (!field.readable) continue;
    const Column* column = schema.find(field.key);
    Value before =
        column == nullptr ? read_untyped(field.node) : read_as(*column, field.node).value;
    Value after = new_field(how, column, before);
    if (after == before) continue;
    Result<Edit> edit = changed.set(field.key, after, {column, {}});
    if (!edit) return edit;
    outcome = Edit::changed;
  }
  std::string body = relink_text(how, changed.body());
  if (body != changed.body()) {
    Result<Edit> edit = changed.set_body(body);
    if (!edit) return edit;
    outcome = Edit::changed;
  }
  note = std::move(changed);
  return outcome;
}

}  // namespace notesdb
