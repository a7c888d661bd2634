#include "query/where.h"

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "query/operators.h"

namespace notesdb {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view symbols = "=!<>~";

std::string_view trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Error not_a_filter(std::string_view text, const std::string& why) {
  return Error{ErrorCode::invalid_argument,
               "'" + std::string(text) + "' is not a filter: " + why +
                   "; write FIELD OPERATOR VALUE, such as 'status = done' or 'due is_empty'",
               Map{}};
}

// A quoted text from the front of `rest`, its quotes taken off: \" \\ inside double quotes, ''
// inside single ones. Empty if the quote is never closed.
std::optional<std::string> take_quoted(std::string_view& rest) {
  char quote = rest[0];
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    bool escaped = quote == '"' ? rest[i] == '\\' : rest.substr(i, 2) == "''";
    if (escaped && i + 1 < rest.size()) {
      text += rest[++i];
    } else if (rest[i] == quote) {
      rest.remove_prefix(i + 1);
      return text;
    } else {
      text += rest[i];
    }
  }
  return std::nullopt;
}

bool at_quote(std::string_view text) {
  return text.starts_with('"') || text.starts_with('\'');
}

std::string_view take_until(std::string_view& rest, std::string_view stops) {
  std::string_view taken = rest.substr(0, rest.find_first_of(stops));
  rest.remove_prefix(taken.size());
  return taken;
}

std::string_view take_word(std::string_view& rest) {
  rest = trimmed(rest);
  return take_until(rest, blanks);
}

std::string name_of_symbol(std::string_view symbol) {
  auto found = std::ranges::find(operators(), symbol, &Operator::symbol);
  return std::string(found == operators().end() ? symbol : found->name);
}

// "is not empty" is is_not_empty: as many words as make an operator, else the first word.
std::string take_operator(std::string_view& rest) {
  rest = trimmed(rest);
  if (symbols.find(rest.empty() ? 'x' : rest[0]) != std::string_view::npos) {
    std::string_view symbol = rest.substr(0, rest.find_first_not_of(symbols));
    rest.remove_prefix(symbol.size());
    return name_of_symbol(symbol);
  }
  std::string joined;
  std::string best;
  std::string_view after_best = rest;
  std::string_view ahead = rest;
  constexpr int most_words = 3;
  for (int words = 0; words < most_words && !trimmed(ahead).empty(); ++words) {
    joined += (words > 0 ? "_" : "") + std::string(take_word(ahead));
    if (words > 0 && find_operator(joined) == nullptr) continue;
    best = joined;
    after_best = ahead;
  }
  rest = after_best;
  return best;
}

// The items of "a, 'b, c'"; empty if a quote is never closed.
std::optional<Value> parse_items(std::string_view text) {
  List items;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    if (at_quote(text)) {
      std::optional<std::string> quoted = take_quoted(text);
      if (!quoted) return std::nullopt;
      items.emplace_back(*std::move(quoted));
      take_until(text, ",");
    } else {
      items.emplace_back(trimmed(take_until(text, ",")));
    }
    if (!text.empty()) text.remove_prefix(1);
  }
  return Value(std::move(items));
}

bool is_bracketed(std::string_view text) {
  return text.starts_with('[') && text.ends_with(']') && !text.starts_with("[[");
}

// Empty if a quote is never closed.
std::optional<Value> parse_value(std::string_view text, const std::string& operation) {
  const Operator* known = find_operator(operation);
  Operands operands = known == nullptr ? Operands::part : known->operands;
  bool takes_list = operands == Operands::values;
  bool may_be_list = takes_list || operands == Operands::value;
  if (may_be_list && is_bracketed(text)) return parse_items(text.substr(1, text.size() - 2));
  if (takes_list) return parse_items(text);
  if (!at_quote(text)) return Value(text);
  std::string_view rest = text;
  std::optional<std::string> quoted = take_quoted(rest);
  // 'a' and 'b' is not one quoted text but a text with quotes in it.
  if (!quoted) return std::nullopt;
  return trimmed(rest).empty() ? Value(*std::move(quoted)) : Value(text);
}

}  // namespace

Result<Value> parse_where(std::string_view text) {
  std::string_view rest = trimmed(text);
  std::string field;
  if (at_quote(rest)) {
    std::optional<std::string> quoted = take_quoted(rest);
    if (!quoted) return not_a_filter(text, "a quote is not closed");
    field = *std::move(quoted);
  } else {
    field = take_until(rest, std::string(blanks) + std::string(symbols));
  }
  if (field.empty()) return not_a_filter(text, "it names no field");
  std::string operation = take_operator(rest);
  if (operation.empty()) return not_a_filter(text, "it has no operator");

  Value triple = Map{};
  triple.set("field", field);
  triple.set("operator", operation);
  rest = trimmed(rest);
  if (rest.empty()) return triple;
  std::optional<Value> value = parse_value(rest, operation);
  if (!value) return not_a_filter(text, "a quote is not closed");
  triple.set("value", *std::move(value));
  return triple;
}

}  // namespace notesdb
