#include "alter/schema_change.h"

#include <algorithm>
#include <array>
#include <utility>

#include "database/new_schema.h"
#include "json/json_value.h"
#include "query/where.h"
#include "schema/document.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

using Names = std::vector<std::string>;

struct Word {
  SchemaAction action;
  std::string_view name;
  std::size_t needed;  // how many of the parts must be there
  std::array<std::string_view, 4> parts;
  std::array<std::string_view, 27> keys;  // of the schema file
};

// A new column's, with those of a rollup laid out flat.
constexpr auto keys_of_new_column() {
  std::array<std::string_view, 27> keys{};
  auto* const end = std::ranges::copy(schema_keys::column_settings, keys.data()).out;
  std::ranges::copy(schema_keys::rollup, end);
  return keys;
}

constexpr auto keys_of_view() {
  std::array<std::string_view, 27> keys{};
  std::ranges::copy(schema_keys::view_settings, keys.data());
  return keys;
}

constexpr std::array words{
    Word{SchemaAction::add_column,
         "add_column",
         1,
         {"column", "after", "before", "fill"},
         keys_of_new_column()},
    Word{SchemaAction::rename_column, "rename_column", 2, {"column", "to"}, {}},
    Word{SchemaAction::drop_column, "drop_column", 1, {"column", "keep_values"}, {}},
    Word{SchemaAction::change_type,
         "change_type",
         1,
         {"column"},
         {"type", "options", "target", "multiple"}},
    Word{SchemaAction::set_column,
         "set_column",
         1,
         {"column", "fill"},
         {"name",
          "description",
          "required",
          "unique",
          "default",
          "min",
          "max",
          "pattern",
          "on_delete",
          "auto",
          "decimals",
          "expression"}},
    Word{SchemaAction::move_column, "move_column", 1, {"column", "after", "before"}, {}},
    Word{SchemaAction::add_option, "add_option", 2, {"column", "option", "after", "before"}, {}},
    Word{SchemaAction::rename_option, "rename_option", 3, {"column", "option", "to"}, {}},
    Word{SchemaAction::remove_option, "remove_option", 2, {"column", "option", "to"}, {}},
    Word{SchemaAction::add_view, "add_view", 1, {"view"}, keys_of_view()},
    Word{SchemaAction::set_view, "set_view", 1, {"view"}, keys_of_view()},
    Word{SchemaAction::drop_view, "drop_view", 1, {"view"}, {}},
    Word{SchemaAction::describe, "describe", 0, {}, {"name", "description"}},
};

const Word& word_of(SchemaAction action) {
  return *std::ranges::find(words, action, &Word::action);
}

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// Names and options may look like numbers.
std::optional<std::string> text_of(const Value* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_text()) return value->text();
  return to_display(*value);
}

template <typename Texts>
void add_names(const Texts& texts, Names& names) {
  for (const std::string_view text : texts)
    if (!text.empty()) names.emplace_back(text);
}

class Parser {
 public:
  std::optional<SchemaChange> parse(const Value& given);
  std::vector<Error> take_errors() { return std::move(errors_); }

 private:
  void check_parts(const Word& word, const Value& given);
  void check_shapes(const Word& word, const Value& given);

  std::vector<Error> errors_;
};

void Parser::check_parts(const Word& word, const Value& given) {
  Names known = parts_of(word.action);
  for (const Member& member : given.map()) {
    if (member.key == "action" || std::ranges::find(known, member.key) != known.end()) continue;
    errors_.push_back(unknown_name(
        ErrorCode::invalid_argument, "part of " + std::string(word.name), member.key, known));
  }
  for (std::size_t i = 0; i < word.needed; ++i) {
    const auto text = text_of(given.find(word.parts[i]));
    if (text && !text->empty()) continue;
    errors_.push_back(
        wrong(std::string(word.name) + " needs '" + std::string(word.parts[i]) + "'"));
  }
  const bool needs_type = word.action == SchemaAction::change_type;
  if (needs_type && !text_of(given.find("type"))) {
    errors_.push_back(wrong("change_type needs 'type'"));
  }
}

void Parser::check_shapes(const Word& word, const Value& given) {
  for (const std::string_view key : {"column", "to", "option", "view", "after", "before"}) {
    const Value* value = given.find(key);
    if (value == nullptr || value->is_scalar()) continue;
    const bool is_whole_column = key == "column" && word.action == SchemaAction::add_column;
    errors_.push_back(wrong(
        std::string(word.name) + ": '" + std::string(key) +
        (is_whole_column ? "' is the id; the rest stands beside it, as in {action: add_column, "
                           "column: late, type: checkbox}"
                         : "' is a text")));
  }
  const Value* keeps = given.find("keep_values");
  if (keeps != nullptr && !keeps->is_boolean()) {
    errors_.push_back(wrong("drop_column: 'keep_values' is true or false"));
  }
  if (given.find("after") != nullptr && given.find("before") != nullptr) {
    errors_.push_back(wrong(std::string(word.name) + " takes 'after' or 'before', not both"));
  }
}

Names schema_action_names() {
  Names names;
  for (const Word& word : words)
    names.emplace_back(word.name);
  return names;
}

std::optional<SchemaChange> Parser::parse(const Value& given) {
  const auto name = given.is_map() ? text_of(given.find("action")) : std::nullopt;
  if (!name) {
    errors_.push_back(
        wrong("a change is a map of an action and what it takes, such as {action: "
              "rename_column, column: estimate, to: points}"));
    return std::nullopt;
  }
  const auto word = std::ranges::find(words, std::string_view(*name), &Word::name);
  if (word == words.end()) {
    errors_.push_back(
        unknown_name(ErrorCode::invalid_argument, "action", *name, schema_action_names()));
    return std::nullopt;
  }
  check_parts(*word, given);
  check_shapes(*word, given);
  if (!errors_.empty()) return std::nullopt;
  SchemaChange change{.action = word->action};
  change.column = text_of(given.find("column")).value_or("");
  change.to = text_of(given.find("to")).value_or("");
  change.option = text_of(given.find("option")).value_or("");
  change.view = text_of(given.find("view")).value_or("");
  change.after = text_of(given.find("after"));
  change.before = text_of(given.find("before"));
  if (const Value* fill = given.find("fill"); fill != nullptr && !fill->is_null()) {
    change.fill = *fill;
  }
  const Value* keeps = given.find("keep_values");
  change.keep_values = keeps != nullptr && keeps->boolean();
  for (const std::string_view key : word->keys) {
    const Value* value = key.empty() ? nullptr : given.find(key);
    if (value == nullptr) continue;
    Result<Value> said = key == "filters" ? without_typed_filters(*value) : *value;
    if (!said) {
      errors_.push_back(said.error());
      return std::nullopt;
    }
    change.keys.push_back({std::string(key), *std::move(said)});
  }
  return change;
}

std::optional<SchemaAction> parse_schema_action(std::string_view name) {
  const auto word = std::ranges::find(words, name, &Word::name);
  return word == words.end() ? std::nullopt : std::optional(word->action);
}

}  // namespace

std::string_view name_of(SchemaAction action) {
  return word_of(action).name;
}

Names parts_of(SchemaAction action) {
  Names names;
  const Word& word = word_of(action);
  add_names(word.parts, names);
  add_names(word.keys, names);
  return names;
}

Result<std::vector<SchemaChange>> parse_schema_changes(const List& given) {
  std::vector<SchemaChange> changes;
  std::vector<Error> errors;
  for (std::size_t i = 0; i < given.size(); ++i) {
    Parser parser;
    auto change = parser.parse(given[i]);
    for (Error& error : parser.take_errors()) {
      error.message.insert(0, "changes[" + std::to_string(i) + "]: ");
      errors.push_back(std::move(error));
    }
    if (change) changes.push_back(*std::move(change));
  }
  if (given.empty()) errors.push_back(wrong("there is no change to make"));
  if (!errors.empty()) return join(errors);
  return changes;
}

namespace {

// Split at spaces that are not within quotes; quotes may begin after an equals sign.
Result<Names> words_of(std::string_view text) {
  Names found;
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
      if (is_open || !word.empty()) found.push_back(std::exchange(word, {}));
      is_open = false;
    } else {
      word += c;
    }
  }
  if (quote != '\0') return wrong("a quote is not closed in: " + std::string(text));
  if (is_open || !word.empty()) found.push_back(word);
  return found;
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
