#include "search/search_text.h"

#include <algorithm>
#include <vector>

namespace notesdb {
namespace {

constexpr std::string_view blanks = " \t\r\n";

// Letters, digits, and whatever lies beyond ASCII may be a word.
bool has_letters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

struct Term {
  std::string_view text;
  bool is_prefix = false;
  bool is_excluded = false;
};

std::vector<Term> terms_of(std::string_view text) {
  std::vector<Term> terms;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) return terms;
    Term term;
    if (text.size() > 1 && text[0] == '-' && blanks.find(text[1]) == std::string_view::npos) {
      term.is_excluded = true;
      text.remove_prefix(1);
    }
    const bool is_phrase = text[0] == '"';
    if (is_phrase) text.remove_prefix(1);
    const std::size_t end =
        std::min(is_phrase ? text.find('"') : text.find_first_of(" \t\r\n\""), text.size());
    term.text = text.substr(0, end);
    text.remove_prefix(is_phrase ? std::min(end + 1, text.size()) : end);
    const bool star_behind = is_phrase && text.starts_with('*');
    term.is_prefix = star_behind || (!is_phrase && term.text.ends_with('*'));
    if (star_behind) text.remove_prefix(1);
    if (has_letters(term.text)) terms.push_back(term);
  }
}

std::string quoted(const Term& term) {
  std::string out = "\"";
  for (const char c : term.text) {
    if (c == '"') out += '"';
    out += c == '\0' ? ' ' : c;
  }
  return out + (term.is_prefix ? "\"*" : "\"");
}

}  // namespace

std::vector<WantedText> wanted_texts(std::string_view text) {
  std::vector<WantedText> wanted;
  for (const Term& term : terms_of(text)) {
    WantedText one{std::string(term.text), term.is_prefix};
    std::ranges::replace(one.text, '\0', ' ');
    const bool is_known = std::ranges::find(wanted, one) != wanted.end();
    if (!term.is_excluded && !is_known) wanted.push_back(std::move(one));
  }
  return wanted;
}

Result<std::string> match_expression(std::string_view text) {
  std::string wanted;
  std::string excluded;
  for (const Term& term : terms_of(text)) {
    if (term.is_excluded) {
      excluded += " NOT " + quoted(term);
    } else {
      wanted += (wanted.empty() ? "" : " AND ") + quoted(term);
    }
  }
  if (wanted.empty()) {
    return Error{ErrorCode::invalid_argument,
                 excluded.empty() ? "'text' holds no word to search for"
                                  : "'text' only says what must not occur; name a word that must",
                 Map{}};
  }
  return "(" + wanted + ")" + excluded;
}

}  // namespace notesdb
