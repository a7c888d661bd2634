#include <algorithm>
#include <utility>

#include "alter/schema_change.h"
#include "json/json_value.h"
#include "query/where.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

using Names = std::vector<std::string>;

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// Split at spaces that are not within quotes; quotes may begin after an equals sign.
Result<Names> words_of(std::string_view text) {
  Names words;
  std::string word;
  bool is_open = false;
  char quote = '\0';
  for (const char c : text) {
    const bool opens =
        quote == '\0' && (c == '"' || c == '\'') && (word.empty() || word.back() == '=');
    if (opens || (quote != '\0' && c == quote)) {
      quote = opens ? c : '\0';
      is_open = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      if (is_open || !word.empty()) words.push_back(std::exchange(word, {}));
      is_open = false;
    } else {
      word += c;
    }
  }
  if (quote != '\0') return wrong("a quote is not closed in: " + std::string(text));
  if (is_open || !word.empty()) words.push_back(word);
  return words;
}

// What a person says of an action without naming it, in order.
Names spoken_parts(const std::string& action) {
  if (action == "add_column" || action == "change_type") return {"column", "type"};
  if (action == "rename_column") return {"column", "to"};
  if (action == "add_option") return {"column", "option"};
  if (action == "rename_option" || action == "remove_option") return {"column", "option", "to"};
  if (action == "add_view") return {"view", "type"};
  if (action.ends_with("_view")) return {"view"};
  return action == "describe" ? Names{} : Names{"column"};
}

Names parts_named(const std::string& action) {
  for (const std::string& name : schema_action_names())
    if (name == action) return parts_of(*parse_schema_action(name));
  return {};
}

Value list_of(std::string_view text) {
  List items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) items.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

// What stands after the equals sign: nothing clears, a number is one, the rest is text.
Result<Value> value_of(std::string_view part, std::string_view text) {
  if (part == "options" || (part == "columns" && !text.empty())) return list_of(text);
  if (part == "filters" && !text.empty()) {
    if (text.starts_with('[') || text.starts_with('{')) return parse_json(text);
    Result<List> filters = parse_where(text);
    return filters ? Result<Value>(*std::move(filters)) : filters.error();
  }
  const bool may_be_typed = part == "required" || part == "unique" || part == "multiple" ||
                            part == "keep_values" || part == "min" || part == "max" ||
                            part == "default" || part == "fill" || part == "sort_desc";
  return Value(text.empty() || may_be_typed ? read_untyped_plain(text) : Value(text));
}

}  // namespace

Result<Value> parse_change_words(std::string_view text) {
  auto words = words_of(text);
  if (!words) return words.error();
  if (words->empty())
    return wrong("a change names an action, such as rename_column estimate points");
  const std::string action = words->front();
  const Names known = parts_named(action);
  Names spoken = spoken_parts(action);
  Value change = Map{{"action", action}};
  for (std::size_t i = 1; i < words->size(); ++i) {
    const std::string& word = (*words)[i];
    const std::size_t equals = word.find('=');
    const std::string part = word.substr(0, equals);
    const bool names_part =
        equals != std::string::npos && std::ranges::find(known, part) != known.end();
    if (names_part) {
      Result<Value> value = value_of(part, std::string_view(word).substr(equals + 1));
      if (!value) return value;
      change.set(part, *std::move(value));
      std::erase(spoken, part);
    } else if (!spoken.empty()) {
      change.set(spoken.front(), word);
      spoken.erase(spoken.begin());
    } else if (equals != std::string::npos) {
      change.set(part, word.substr(equals + 1));
    } else if (!known.empty()) {
      return wrong("unexpected argument '" + word + "' for " + action + "; write PART=VALUE");
    }
  }
  return change;
}

}  // namespace notesdb
