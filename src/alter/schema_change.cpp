#include "alter/schema_change.h"

#include <algorithm>
#include <array>
#include <utility>

#include "database/new_schema.h"
#include "schema/document.h"

namespace notesdb {
namespace {

using Names = std::vector<std::string>;

struct Word {
  SchemaAction action;
  std::string_view name;
  std::size_t needed;  // how many of the parts must be there
  std::array<std::string_view, 4> parts;
  std::array<std::string_view, 20> keys;  // of the schema file
};

// A new column's, with those of a rollup laid out flat.
constexpr auto keys_of_new_column() {
  std::array<std::string_view, 20> keys{};
  auto* const end = std::ranges::copy(schema_keys::column_settings, keys.data()).out;
  std::ranges::copy(schema_keys::rollup, end);
  return keys;
}

constexpr auto keys_of_view() {
  std::array<std::string_view, 20> keys{};
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
          "decimals"}},
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
    errors_.push_back(wrong(std::string(word.name) + ": '" + std::string(key) + "' is a text"));
  }
  const Value* keeps = given.find("keep_values");
  if (keeps != nullptr && !keeps->is_boolean()) {
    errors_.push_back(wrong("drop_column: 'keep_values' is true or false"));
  }
  if (given.find("after") != nullptr && given.find("before") != nullptr) {
    errors_.push_back(wrong(std::string(word.name) + " takes 'after' or 'before', not both"));
  }
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
    if (value != nullptr) change.keys.push_back({std::string(key), *value});
  }
  return change;
}

}  // namespace

std::string_view name_of(SchemaAction action) {
  return word_of(action).name;
}

Names schema_action_names() {
  Names names;
  for (const Word& word : words)
    names.emplace_back(word.name);
  return names;
}

std::optional<SchemaAction> parse_schema_action(std::string_view name) {
  const auto word = std::ranges::find(words, name, &Word::name);
  return word == words.end() ? std::nullopt : std::optional(word->action);
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

}  // namespace notesdb
