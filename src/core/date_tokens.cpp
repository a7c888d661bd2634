#include "core/date_tokens.h"

#include <algorithm>
#include <array>

namespace notesdb {

namespace {

struct Token {
  std::string_view spelled;
  DatePiece part;
  int digits;
};

// The longest that fits counts, so longer ones come first.
constexpr std::array moment_tokens{
    Token{"YYYY", DatePiece::year, 4},
    Token{"yyyy", DatePiece::year, 4},
    Token{"GGGG", DatePiece::week_year, 4},
    Token{"gggg", DatePiece::week_year, 4},
    Token{"MMMM", DatePiece::month_name, 0},
    Token{"dddd", DatePiece::weekday_name, 0},
    Token{"MMM", DatePiece::short_month_name, 0},
    Token{"ddd", DatePiece::short_weekday_name, 0},
    Token{"SSS", DatePiece::millisecond, 3},
    Token{"YY", DatePiece::short_year, 2},
    Token{"WW", DatePiece::week, 2},
    Token{"ww", DatePiece::week, 2},
    Token{"MM", DatePiece::month, 2},
    Token{"DD", DatePiece::day, 2},
    Token{"dd", DatePiece::day, 2},
    Token{"Do", DatePiece::ordinal_day, 1},
    Token{"HH", DatePiece::hour, 2},
    Token{"hh", DatePiece::half_day_hour, 2},
    Token{"mm", DatePiece::minute, 2},
    Token{"ss", DatePiece::second, 2},
    Token{"ZZ", DatePiece::zone, 0},
    Token{"W", DatePiece::week, 1},
    Token{"w", DatePiece::week, 1},
    Token{"Q", DatePiece::quarter, 1},
    Token{"M", DatePiece::month, 1},
    Token{"D", DatePiece::day, 1},
    Token{"H", DatePiece::hour, 1},
    Token{"h", DatePiece::half_day_hour, 1},
    Token{"A", DatePiece::half_day, 1},
    Token{"a", DatePiece::half_day, 0},
    Token{"m", DatePiece::minute, 1},
    Token{"s", DatePiece::second, 1},
    Token{"Z", DatePiece::zone, 1},
    Token{"X", DatePiece::epoch_seconds, 1},
    Token{"x", DatePiece::epoch_milliseconds, 1},
};

constexpr std::array strftime_tokens{
    Token{"-d", DatePiece::day, 1},
    Token{"-m", DatePiece::month, 1},
    Token{"-H", DatePiece::hour, 1},
    Token{"-I", DatePiece::half_day_hour, 1},
    Token{"Y", DatePiece::year, 4},
    Token{"y", DatePiece::short_year, 2},
    Token{"m", DatePiece::month, 2},
    Token{"d", DatePiece::day, 2},
    Token{"e", DatePiece::day, 1},
    Token{"B", DatePiece::month_name, 0},
    Token{"b", DatePiece::short_month_name, 0},
    Token{"A", DatePiece::weekday_name, 0},
    Token{"a", DatePiece::short_weekday_name, 0},
    Token{"H", DatePiece::hour, 2},
    Token{"I", DatePiece::half_day_hour, 2},
    Token{"p", DatePiece::half_day, 1},
    Token{"M", DatePiece::minute, 2},
    Token{"S", DatePiece::second, 2},
    Token{"z", DatePiece::zone, 0},
    Token{"s", DatePiece::epoch_seconds, 1},
    Token{"G", DatePiece::week_year, 4},
    Token{"V", DatePiece::week, 2},
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void add_literal(std::vector<FormatPiece>& pieces, std::string_view text) {
  if (pieces.empty() || pieces.back().part != DatePiece::literal) pieces.emplace_back();
  pieces.back().text += text;
}

template <typename Tokens>
const Token* token_at(const Tokens& tokens, std::string_view text) {
  const auto found = std::ranges::find_if(
      tokens, [&](const Token& token) { return text.starts_with(token.spelled); });
  return found == tokens.end() ? nullptr : &*found;
}

FormatPieces split_strftime(std::string_view format) {
  FormatPieces pieces;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      add_literal(pieces.list, format.substr(at++, 1));
      continue;
    }
    const std::string_view rest = format.substr(at + 1);
    if (rest.starts_with('%')) {
      add_literal(pieces.list, "%");
      at += 2;
      continue;
    }
    const Token* token = token_at(strftime_tokens, rest);
    if (token == nullptr) {
      pieces.problem =
          "unknown token '%" + std::string(rest.substr(0, 1)) + "'; " + std::string(tokens_told);
      return pieces;
    }
    pieces.list.push_back({token->part, token->digits, ""});
    at += 1 + token->spelled.size();
  }
  return pieces;
}

}  // namespace

FormatPieces split_format(std::string_view format) {
  if (format.find('%') != format.npos) return split_strftime(format);
  FormatPieces pieces;
  for (std::size_t at = 0; at < format.size();) {
    const std::string_view rest = format.substr(at);
    if (rest.front() == '[') {
      const std::size_t close = rest.find(']');
      if (close == rest.npos) {
        pieces.problem = "a '[' is never closed";
        return pieces;
      }
      add_literal(pieces.list, rest.substr(1, close - 1));
      at += close + 1;
    } else if (const Token* token = token_at(moment_tokens, rest)) {
      pieces.list.push_back({token->part, token->digits, ""});
      at += token->spelled.size();
    } else if (is_letter(rest.front()) && rest.front() != 'T') {
      pieces.problem =
          "unknown token '" + std::string(1, rest.front()) + "'; " + std::string(tokens_told);
      return pieces;
    } else {
      add_literal(pieces.list, rest.substr(0, 1));
      ++at;
    }
  }
  return pieces;
}

}  // namespace notesdb
