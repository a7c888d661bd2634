#include "search/search_text.h"

#include <algorithm>
#include <functional>

#include "core/text.h"
#include "search/words.h"

namespace notesdb {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr int max_depth = 20;  // of parentheses; SQLite's parser takes a hundred

bool has_word(std::string_view text) {
  bool has = false;
  search::split_words(text, [&](std::string_view, std::size_t, std::size_t) {
    has = true;
    return false;
  });
  return has;
}

// A key as people write it before a ':'; not the hours of 12:30, not https://.
bool is_key(std::string_view key) {
  const auto may_stand = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return std::ranges::all_of(key, may_stand) && !std::ranges::all_of(key, is_digit);
}

std::string quoted(std::string_view mark, const WantedText& wanted) {
  std::string out = "\"" + std::string(mark);
  for (const char c : wanted.text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + (wanted.is_prefix ? "\"*" : "\"");
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts)
    out += (out.empty() ? "" : std::string(between)) + part;
  return parts.size() > 1 ? "(" + out + ")" : out;
}

class Parser {
 public:
  Parser(std::string_view text, const std::set<std::string, std::less<>>& columns)
      : text_(text), columns_(columns) {}

  Result<SearchText> run() {
    SearchText found;
    found.expression = parse_either();
    if (!found.expression.empty() && !is_only_excluded_) {
      found.wanted = std::move(wanted_);
      return found;
    }
    return Error{ErrorCode::invalid_argument,
                 is_only_excluded_ ? "'text' only says what must not occur; name a word that must"
                                   : "'text' holds no word to search for",
                 Map{}};
  }

 private:
  // Sides of OR, up to the end or to the parenthesis that closes.
  std::string parse_either() {
    std::vector<std::string> sides;
    do {
      std::string side = parse_all();
      if (!side.empty()) sides.push_back(std::move(side));
    } while (take_or());
    return joined(sides, " OR ");
  }

  std::string parse_all() {
    std::vector<std::string> wanted;
    std::vector<std::string> excluded;
    while (!is_at_end() && !sees_or()) {
      const bool is_excluded = take_minus();
      is_excluding_ += is_excluded ? 1 : 0;
      std::string item = parse_item();
      is_excluding_ -= is_excluded ? 1 : 0;
      if (!item.empty()) (is_excluded ? excluded : wanted).push_back(std::move(item));
      is_begun_ = true;
    }
    if (excluded.empty()) return joined(wanted, " AND ");
    is_only_excluded_ = is_only_excluded_ || wanted.empty();
    return "(" + joined(wanted, " AND ") + " NOT " + joined(excluded, " OR ") + ")";
  }

  std::string parse_item() {
    const std::string outer = scope_;
    const bool was_strict = is_strict_;
    take_scope();
    std::string item;
    if (text_.starts_with('(') && depth_ < max_depth) {
      text_.remove_prefix(1);
      ++depth_;
      const bool was_begun = std::exchange(is_begun_, false);
      item = parse_either();
      is_begun_ = was_begun;
      --depth_;
      if (text_.starts_with(')')) text_.remove_prefix(1);
    } else {
      item = parse_term();
    }
    scope_ = outer;
    is_strict_ = was_strict;
    return item;
  }

  std::string parse_term() {
    const bool is_phrase = text_.starts_with('"');
    if (is_phrase) text_.remove_prefix(1);
    const std::size_t end =
        is_phrase ? std::min(text_.find('"'), text_.size()) : end_of_word(text_);
    WantedText wanted{std::string(text_.substr(0, end))};
    text_.remove_prefix(is_phrase ? std::min(end + 1, text_.size()) : end);
    const bool star_behind = is_phrase && text_.starts_with('*');
    wanted.is_prefix = star_behind || (!is_phrase && wanted.text.ends_with('*'));
    if (star_behind) text_.remove_prefix(1);
    std::ranges::replace_if(
        wanted.text, [](char c) { return c == '\0' || c == field_begin || c == field_end; }, ' ');
    if (!has_word(wanted.text)) return {};
    const bool is_known = std::ranges::find(wanted_, wanted) != wanted_.end();
    if (is_excluding_ == 0 && !is_known) wanted_.push_back(wanted);
    return expression_of(wanted);
  }

  std::string expression_of(const WantedText& wanted) const {
    if (scope_.empty()) return quoted("", wanted);
    if (scope_ == "title" || scope_ == "body") return scope_ + " : " + quoted("", wanted);
    const std::string in_field = "fields : " + quoted(field_mark(scope_), wanted);
    if (is_strict_) return in_field;
    const WantedText whole{scope_ + ":" + wanted.text, wanted.is_prefix};
    return "(" + in_field + " OR " + quoted("", whole) + ")";
  }

  // Where a word ends: at a blank, a quote, or a parenthesis that it did not open.
  std::size_t end_of_word(std::string_view text) const {
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"' || blanks.find(text[i]) != std::string_view::npos) return i;
      if (text[i] == '(') ++open;
      if (text[i] == ')' && --open < 0 && depth_ > 0) return i;
    }
    return text.size();
  }

  void take_scope() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n\":"), text_.size());
    if (end == 0 || end + 1 >= text_.size() || text_[end] != ':') return;
    const std::string_view key = text_.substr(0, end);
    const std::string_view rest = text_.substr(end + 1);
    const bool is_phrase = rest.starts_with('"');
    const bool is_group = rest.starts_with('(');
    if (!is_key(key) || rest.starts_with("//")) return;
    if (!is_phrase && !is_group && !has_word(rest.substr(0, end_of_word(rest)))) return;
    scope_ = fold_case(key);
    is_strict_ = scope_ == "title" || scope_ == "body" || columns_.contains(scope_);
    text_.remove_prefix(end + 1);
  }

  bool take_minus() {
    if (text_.size() < 2 || text_[0] != '-') return false;
    if (blanks.find(text_[1]) != std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  // OR as a word of its own, with something on both sides.
  bool sees_or() const {
    if (!is_begun_ || !text_.starts_with("OR") || text_.size() < 3) return false;
    const std::string_view behind = text_.substr(2);
    const std::size_t next = behind.find_first_not_of(blanks);
    return (next > 0 || behind[0] == '(') && next != std::string_view::npos && behind[next] != ')';
  }

  bool take_or() {
    if (is_at_end() || !sees_or()) return false;
    text_.remove_prefix(2);
    return true;
  }

  // A ')' that closes nothing is no more than a blank.
  bool is_at_end() {
    while (true) {
      text_.remove_prefix(std::min(text_.find_first_not_of(blanks), text_.size()));
      if (text_.empty() || text_[0] != ')') return text_.empty();
      if (depth_ > 0) return true;
      text_.remove_prefix(1);
    }
  }

  std::string_view text_;
  const std::set<std::string, std::less<>>& columns_;
  std::vector<WantedText> wanted_;
  std::string scope_;  // the field that is asked; empty: any
  bool is_strict_ = false;
  bool is_begun_ = false;  // something stands before, in this parenthesis
  bool is_only_excluded_ = false;
  int is_excluding_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string field_mark(std::string_view key) {
  std::string mark{field_begin};
  for (const char c : fold_case(key))
    mark += c == field_begin || c == field_end || c == '\0' ? ' ' : c;
  return mark + field_end;
}

bool names_fields(std::string_view text) {
  return text.find(':') != std::string_view::npos;
}

Result<SearchText> parse_search_text(std::string_view text,
                                     const std::set<std::string, std::less<>>& columns) {
  return Parser(text, columns).run();
}

}  // namespace notesdb
