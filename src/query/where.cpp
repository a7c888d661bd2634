#include "query/where.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "query/operators.h"

namespace notesdb {

namespace {

constexpr std::string_view spaces = " \t\r\n";
constexpr std::string_view symbols = "=!<>~";

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
  return take_until(rest, spaces);
}

// Names of operators that are written here and are others in a filter.
struct Alias {
  std::string_view written;
  std::string_view meant;
};
constexpr std::array aliases{Alias{"==", "eq"},
                             Alias{"<>", "neq"},
                             Alias{"is_null", "is_empty"},
                             Alias{"is_not_null", "is_not_empty"},
                             Alias{"between", "between"},
                             Alias{"not_between", "not_between"}};

// Empty if no operator is written so.
std::string known_operator(std::string_view written) {
  const std::string folded = fold_case(written);
  const auto* alias = std::ranges::find(aliases, folded, &Alias::written);
  if (alias != aliases.end()) return std::string(alias->meant);
  const bool is_symbol = !written.empty() && symbols.find(written[0]) != std::string_view::npos;
  const auto found = is_symbol ? std::ranges::find(operators(), written, &Operator::symbol)
                               : std::ranges::find(operators(), folded, &Operator::name);
  return found == operators().end() ? "" : std::string(found->name);
}

// As it stands in a filter, or as it was written where it is not known.
struct TakenOperator {
  std::string name;
  bool is_known = false;
};

// "is not empty" is is_not_empty: as many words as make an operator, else the first word.
TakenOperator take_operator(std::string_view& rest) {
  rest = trimmed(rest);
  if (symbols.find(rest.empty() ? 'x' : rest[0]) != std::string_view::npos) {
    std::string_view symbol = rest.substr(0, rest.find_first_not_of(symbols));
    rest.remove_prefix(symbol.size());
    std::string known = known_operator(symbol);
    return known.empty() ? TakenOperator{std::string(symbol)} : TakenOperator{known, true};
  }
  std::string joined;
  TakenOperator best;
  std::string_view after_best = rest;
  std::string_view ahead = rest;
  constexpr int max_words = 3;
  for (int words = 0; words < max_words && !trimmed(ahead).empty(); ++words) {
    const std::string before = joined + (words > 0 ? "_" : "");
    std::string_view word = take_word(ahead);
    joined = before + std::string(word);
    std::string known = known_operator(joined);
    // "(due is empty)": the bracket closes what the filter stands in.
    const std::string_view bare = word.substr(0, word.find_last_not_of(')') + 1);
    if (known.empty() && bare.size() < word.size() &&
        !known_operator(before + std::string(bare)).empty()) {
      joined = before + std::string(bare);
      known = known_operator(joined);
      ahead = std::string_view(bare.data() + bare.size(), ahead.size() + word.size() - bare.size());
    }
    if (words > 0 && known.empty()) continue;
    best = known.empty() ? TakenOperator{joined} : TakenOperator{std::move(known), true};
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

bool is_bracketed(std::string_view text, bool takes_list) {
  if (takes_list && text.starts_with('(') && text.ends_with(')')) return true;
  return text.starts_with('[') && text.ends_with(']') && !text.starts_with("[[");
}

Operands operands_of(const std::string& operation) {
  const Operator* known = find_operator(operation);
  return known == nullptr ? Operands::part : known->operands;
}

// Empty if a quote is never closed.
std::optional<Value> parse_value(std::string_view text, const std::string& operation) {
  Operands operands = operands_of(operation);
  bool takes_list = operands == Operands::values;
  bool may_be_list = takes_list || operands == Operands::value;
  if (may_be_list && is_bracketed(text, takes_list))
    return parse_items(text.substr(1, text.size() - 2));
  if (takes_list) return parse_items(text);
  if (!at_quote(text)) return Value(text);
  std::string_view rest = text;
  std::optional<std::string> quoted = take_quoted(rest);
  // "a" b "c" is not one quoted text but a text with quotes in it.
  if (!quoted) return std::nullopt;
  return trimmed(rest).empty() ? Value(*std::move(quoted)) : Value(text);
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// A question in conjunctive form: of each group one must hold, and all groups must.
using Clause = std::vector<Value>;
using Clauses = std::vector<Clause>;
constexpr std::size_t max_clauses = 64;

Clauses either(const Clauses& a, const Clauses& b) {
  Clauses both;
  for (const Clause& left : a) {
    for (const Clause& right : b) {
      both.push_back(left);
      both.back().insert(both.back().end(), right.begin(), right.end());
    }
  }
  return both;
}

class WhereParser {
 public:
  explicit WhereParser(std::string_view text) : text_(text), rest_(trimmed(text)) {}

  Result<List> parse() {
    Result<Clauses> clauses = parse_any();
    if (!clauses) return clauses.error();
    if (!trimmed(rest_).empty())
      return refuse("'" + std::string(trimmed(rest_)) + "' follows its end");
    List filters;
    for (Clause& clause : *clauses) {
      if (clause.size() == 1) {
        filters.push_back(std::move(clause.front()));
      } else {
        filters.push_back(Map{{"any", List(clause.begin(), clause.end())}});
      }
    }
    return filters;
  }

 private:
  Error refuse(const std::string& why) const { return not_a_filter(text_, why); }

  // Whether `and` or `or` stands here, between spaces or before the end.
  static bool is_at(std::string_view rest, std::string_view word) {
    if (fold_case(rest.substr(0, word.size())) != word) return false;
    rest.remove_prefix(word.size());
    return rest.empty() || spaces.find(rest[0]) != std::string_view::npos || rest[0] == '(';
  }
  static bool is_at_connective(std::string_view rest) {
    return is_at(rest, "and") || is_at(rest, "or");
  }
  bool take(std::string_view word) {
    const std::string_view rest = trimmed(rest_);
    if (!is_at(rest, word)) return false;
    rest_ = rest.substr(word.size());
    return true;
  }

  Result<Clauses> parse_any() {
    Result<Clauses> found = parse_all();
    while (found && take("or")) {
      Result<Clauses> more = parse_all();
      if (!more) return more;
      if (found->size() * more->size() > max_clauses)
        return refuse("it is too long; repeat --where, whose filters must all hold");
      found = either(*found, *more);
    }
    return found;
  }

  Result<Clauses> parse_all() {
    Result<Clauses> found = parse_term();
    while (found && take("and")) {
      Result<Clauses> more = parse_term();
      if (!more) return more;
      std::ranges::move(*more, std::back_inserter(*found));
    }
    return found;
  }

  Result<Clauses> parse_term() {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with('(')) return parse_filter();
    rest_.remove_prefix(1);
    constexpr int max_depth = 20;
    if (++depth_ > max_depth) return refuse("it has too many brackets");
    Result<Clauses> inside = parse_any();
    --depth_;
    if (!inside) return inside;
    rest_ = trimmed(rest_);
    if (!rest_.starts_with(')')) return refuse("a bracket is not closed");
    rest_.remove_prefix(1);
    return inside;
  }

  Result<Clauses> parse_filter() {
    const std::string_view begun = rest_;
    std::string field;
    if (at_quote(rest_)) {
      std::optional<std::string> quoted = take_quoted(rest_);
      if (!quoted) return refuse("a quote is not closed");
      field = *std::move(quoted);
    } else {
      field = take_until(rest_, std::string(spaces) + std::string(symbols));
    }
    const TakenOperator operation = take_operator(rest_);
    // After `and` it is a filter, or the rest of a value that should have been quoted.
    if (value_at_ != nullptr && (field.empty() || !operation.is_known))
      return refuse_unquoted(begun, operation.name);
    if (field.empty()) return refuse("it names no field");
    if (operation.name.empty()) return refuse("it has no operator");
    before_value_ = std::string(trimmed(begun.substr(0, begun.size() - rest_.size())));
    if (operation.name.ends_with("between")) return parse_between(field, operation.name);
    Result<std::optional<Value>> value = take_value(operation.name);
    if (!value) return value.error();
    Value triple = Map{{"field", field}, {"operator", operation.name}};
    if (*value) triple.set("value", **std::move(value));
    return Clauses{{std::move(triple)}};
  }

  Result<Clauses> parse_between(const std::string& field, const std::string& operation) {
    Result<std::optional<Value>> low = take_value("eq");
    if (!low) return low.error();
    if (!*low || !take("and")) return refuse("between takes two values: between A and B");
    Result<std::optional<Value>> high = take_value("eq");
    if (!high) return high.error();
    if (!*high) return refuse("between takes two values: between A and B");
    const bool inside = operation == "between";
    Value from = Map{{"field", field}, {"operator", inside ? "gte" : "lt"}, {"value", **low}};
    Value to = Map{{"field", field}, {"operator", inside ? "lte" : "gt"}, {"value", **high}};
    if (inside) return Clauses{{std::move(from)}, {std::move(to)}};
    return Clauses{{std::move(from), std::move(to)}};
  }

  // Nothing where none is written.
  Result<std::optional<Value>> take_value(const std::string& operation) {
    rest_ = trimmed(rest_);
    const bool none_is_taken = operands_of(operation) == Operands::none;
    const bool ends = rest_.empty() || rest_.starts_with(')') || is_at_connective(rest_);
    if (none_is_taken && ends) return nothing();
    value_at_ = rest_.data();
    const std::string_view value = trimmed(rest_.substr(0, end_of_value(operands_of(operation))));
    if (value.empty() && !rest_.empty() && depth_ == 0)
      return refuse("its value is missing; a value that is '" +
                    std::string(rest_.substr(0, rest_.find_first_of(spaces))) + "' is quoted");
    rest_.remove_prefix(value.size());
    if (value.empty()) return nothing();
    std::optional<Value> parsed = parse_value(value, operation);
    if (!parsed) return refuse("a quote is not closed");
    return parsed;
  }
  static Result<std::optional<Value>> nothing() { return std::optional<Value>(); }

  // Where the value ends with which the rest begins: before `and` and `or`, before the bracket that
  // closes a group, else with the text.
  std::size_t end_of_value(Operands operands) const {
    const bool is_list = operands == Operands::values || operands == Operands::value;
    const bool is_bracket = is_list && rest_.starts_with('[') && !rest_.starts_with("[[");
    int open = 0;        // brackets of the value itself
    bool starts = true;  // whether a quote here would begin a text
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      const char c = rest_[at];
      const bool is_space = spaces.find(c) != std::string_view::npos;
      const bool parts = at == 0 || spaces.find(rest_[at - 1]) != std::string_view::npos;
      if (parts && open == 0 && is_at_connective(rest_.substr(at))) return at;
      if (starts && at_quote(rest_.substr(at))) {
        std::string_view behind = rest_.substr(at);
        if (!take_quoted(behind)) return rest_.size();
        at = rest_.size() - behind.size() - 1;
        starts = false;
        continue;
      }
      if (c == (is_bracket ? '[' : '(')) ++open;
      if (c == (is_bracket ? ']' : ')')) {
        if (open == 0 && depth_ > 0 && c == ')') return at;
        open = std::max(0, open - 1);
      }
      const bool begins_item = is_list && (c == ',' || (at == 0 && (c == '[' || c == '(')));
      starts = begins_item || (starts && is_space);
    }
    return rest_.size();
  }

  Error refuse_unquoted(std::string_view begun, const std::string& operation) const {
    const std::string piece(trimmed(begun));
    std::string why = piece.empty() ? "nothing follows 'and' or 'or'"
                      : operation.empty()
                          ? "'" + piece + "' has no operator"
                          : "'" + piece + "' has the unknown operator '" + operation + "'";
    if (auto nearest = nearest_name(operation, operator_names()))
      why += " (did you mean '" + *nearest + "'?)";
    const char* const end = text_.data() + text_.size();
    const std::string_view value = trimmed({value_at_, static_cast<std::size_t>(end - value_at_)});
    return {ErrorCode::invalid_argument,
            why + "; a value that holds 'and' or 'or' is quoted: " + before_value_ + " " +
                in_quotes(value),
            Map{}};
  }

  std::string_view text_;
  std::string_view rest_;
  int depth_ = 0;
  const char* value_at_ = nullptr;  // where the last value began; null before there is one
  std::string before_value_;        // its field and operator
};

}  // namespace

Result<List> parse_where(std::string_view text) {
  return WhereParser(text).parse();
}

Result<Value> without_typed_filters(const Value& given) {
  if (!given.is_list() && !given.is_text()) return given;
  List filters;
  for (const Value& element : given.is_list() ? given.list() : List{given}) {
    if (!element.is_text()) {
      filters.push_back(element);
      continue;
    }
    Result<List> typed = parse_where(element.text());
    if (!typed) return typed.error();
    std::ranges::move(*typed, std::back_inserter(filters));
  }
  return Value(std::move(filters));
}

}  // namespace notesdb
