#include "cli/flag_syntax.h"

#include <algorithm>
#include <iterator>

#include "alter/schema_change.h"
#include "cli/console.h"
#include "cli/file_text.h"
#include "json/json_value.h"
#include "query/where.h"

namespace notesdb::cli {

namespace {

constexpr std::string_view file_suffix = "-file";

Error wrong_words(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

bool looks_like_json(std::string_view text) {
  return text.starts_with('[') || text.starts_with('{');
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// "key=value", at the first equals sign.
struct KeyValue {
  std::string key;
  std::string value;
};
Result<KeyValue> parse_key_value(const std::string& flag, const std::string& word) {
  std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    return wrong_words("--" + flag + " '" + word + "' should be " + "KEY=VALUE");
  return KeyValue{word.substr(0, equals), word.substr(equals + 1)};
}

// JSON on the command line, or on standard input for "-".
Result<Value> parse_json_word(const std::string& flag, const std::string& word) {
  Result<Value> value = parse_json(word == "-" ? read_standard_input() : word);
  if (!value) return wrong_words("--" + flag + " should be JSON: " + value.error().message);
  return value;
}

std::string singular(const std::string& name) {
  return name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
}

}  // namespace

std::vector<Flag> flags_of(const Argument& argument, Effect effect) {
  const std::string name = argument.flag_name();
  const std::string& about = argument.flag_description();
  switch (argument.kind) {
    case ArgumentKind::boolean: return {{name, "", about}};
    case ArgumentKind::choice:
      return {{name, argument.value_name(), about, false, 0, argument.choices}};
    case ArgumentKind::names: return {{name, "A,B", about, true}};
    case ArgumentKind::body:
      return {{name, "TEXT", about},
              {name + std::string(file_suffix),
               "FILE",
               "the same from a file; - reads standard input"}};
    case ArgumentKind::filters:
      return {{"where", "'FIELD OP VALUE'", "keep rows that match; repeated: all must hold", true},
              {name, "JSON", "filters as tools take them"}};
    case ArgumentKind::sorts:
      return {{name,
               "FIELD[:desc]",
               "sort by a field: due, due:desc, -due, status:options; repeated: then by the next",
               true}};
    case ArgumentKind::fields: {
      std::vector<Flag> flags{
          {"set", "KEY=VALUE", "set a field; a,b is a list where one is held", true}};
      if (effect == Effect::updates) flags.push_back({"unset", "KEY", "clear a field", true});
      flags.push_back({name, "JSON", "fields as JSON; - reads standard input"});
      return flags;
    }
    case ArgumentKind::columns:
      return {{"column",
               "ID:TYPE[:A,B]",
               "a column; A,B are options, or the target of a relation",
               true},
              {name, "JSON", "columns as tools take them; - reads standard input"}};
    case ArgumentKind::metrics:
      return {{singular(name), "FUNCTION[:FIELD][=NAME]", "what to compute: sum:estimate", true},
              {name, "JSON", "metrics as tools take them"}};
    case ArgumentKind::changes:
      return {{singular(name),
               "'ACTION WORDS'",
               "a change, such as 'rename_column estimate points'; repeated: one after the other",
               true},
              {name, "JSON", "changes as tools take them; - reads standard input"}};
    case ArgumentKind::settings: return {{name, "KEY=VALUE", about, true}};
    case ArgumentKind::records: return {{name, "JSON", about}};
    default: return {{name, argument.value_name(), about}};
  }
}

Value parse_column_word(const std::string& word) {
  std::size_t colon = word.find(':');
  if (colon == std::string::npos) return Map{{"id", word}, {"type", "text"}};
  std::size_t second = word.find(':', colon + 1);
  std::string type =
      word.substr(colon + 1, second == std::string::npos ? second : second - colon - 1);
  Value column = Map{{"id", word.substr(0, colon)}, {"type", type}};
  if (second == std::string::npos) return column;
  std::string rest = word.substr(second + 1);
  if (parse_column_type(type) == ColumnType::relation)
    column.set("target", rest);
  else
    column.set("options", Value::list_of(split(rest, ',')));
  return column;
}

Value parse_metric_word(const std::string& word) {
  std::size_t equals = word.find('=');
  std::string asked = word.substr(0, equals);
  std::size_t colon = asked.find(':');
  Value metric = Map{{"function", asked.substr(0, colon)}};
  if (colon != std::string::npos) metric.set("field", asked.substr(colon + 1));
  if (equals != std::string::npos) metric.set("as", word.substr(equals + 1));
  return metric;
}

Value parse_field_text(const Column* column, const std::string& text) {
  if (column == nullptr) return text;
  if (column->type == ColumnType::json) {
    Result<Value> value = parse_json(text);
    return value ? *std::move(value) : Value(text);
  }
  if (!column->holds_list()) return text;
  if (text.starts_with('[') && !text.starts_with("[[")) {
    Result<Value> list = parse_json(text);
    if (list) return *std::move(list);
  }
  return Value::list_of(split(text, ','));
}

namespace {

Result<std::optional<Value>> nothing() {
  return std::optional<Value>();
}

Result<std::optional<Value>> some(Value value) {
  return std::optional<Value>(std::move(value));
}

using SpelledValue = Result<std::optional<Value>>;

// Adds what the JSON of a flag holds: a list, or one thing that stands for it.
Result<void> add_json_items(const Words& words, const std::string& flag, List& list) {
  const std::optional<std::string> json = words.last(flag);
  if (!json) return {};
  Result<Value> more = parse_json_word(flag, *json);
  if (!more) return more.error();
  if (!more->is_list()) more = Value(List{*std::move(more)});
  std::ranges::move(more->list(), std::back_inserter(list));
  return {};
}

// The words of a repeated flag, each read by `parse`, as one list; JSON of the whole beside it.
template <typename Parse>
SpelledValue list_from(const Words& words,
                       const std::string& flag,
                       const std::string& json_flag,
                       Parse parse) {
  List list;
  for (const std::string& word : words.all(flag)) {
    Result<Value> item = parse(word);
    if (!item) return item.error();
    list.push_back(*std::move(item));
  }
  if (json_flag != flag) {
    if (auto added = add_json_items(words, json_flag, list); !added) return added.error();
  }
  if (list.empty() && !words.has(json_flag)) return nothing();
  return some(std::move(list));
}

SpelledValue filters_from(const Argument& argument, const Words& words) {
  List filters;
  for (const std::string& word : words.all("where")) {
    Result<List> parsed = parse_where(word);
    if (!parsed) return parsed.error();
    std::ranges::move(*parsed, std::back_inserter(filters));
  }
  if (auto added = add_json_items(words, argument.flag_name(), filters); !added)
    return added.error();
  if (filters.empty() && !words.has(argument.flag_name())) return nothing();
  return some(std::move(filters));
}

SpelledValue names_from(const Argument& argument, const Words& words) {
  std::vector<std::string> names;
  for (const std::string& word : words.all(argument.flag_name())) {
    if (looks_like_json(word)) return some(word);
    for (std::string& name : split(word, ','))
      names.push_back(std::move(name));
  }
  if (!words.has(argument.flag_name())) return nothing();
  return some(Value::list_of(names));
}

SpelledValue sorts_from(const Argument& argument, const Words& words) {
  std::vector<std::string> given = words.all(argument.flag_name());
  if (given.empty()) return nothing();
  if (given.size() == 1 && looks_like_json(given.front())) return some(given.front());
  List sorts;
  for (const std::string& word : given)
    sorts.emplace_back(word);
  return some(std::move(sorts));
}

SpelledValue body_from(const Argument& argument, const Words& words) {
  const std::string flag = argument.flag_name();
  std::optional<std::string> path = words.last(flag + std::string(file_suffix));
  if (!path) {
    std::optional<std::string> text = words.last(flag);
    return text ? some(*text) : nothing();
  }
  if (words.has(flag))
    return wrong_words("--" + flag + " and --" + flag + "-file exclude each other");
  Result<std::string> text = read_text(*path);
  if (!text) return text.error();
  return some(*std::move(text));
}

SpelledValue fields_from(const Argument& argument, const Words& words, const Schema* schema) {
  Value fields = Map{};
  bool given = words.has("set") || words.has("unset") || words.has(argument.flag_name());
  if (!given) return nothing();
  if (std::optional<std::string> json = words.last(argument.flag_name())) {
    Result<Value> whole = parse_json_word(argument.flag_name(), *json);
    if (!whole || !whole->is_map()) return whole ? some(*whole) : SpelledValue(whole.error());
    fields = *std::move(whole);
  }
  for (const std::string& word : words.all("set")) {
    Result<KeyValue> pair = parse_key_value("set", word);
    if (!pair) return pair.error();
    const Column* column = schema == nullptr ? nullptr : schema->find(pair->key);
    fields.set(pair->key, parse_field_text(column, pair->value));
  }
  for (const std::string& key : words.all("unset"))
    fields.set(key, nullptr);
  return some(std::move(fields));
}

// A number or a boolean where the text is one, else the text.
Value plain_value(const std::string& text) {
  Result<Value> value = parse_json(text);
  bool is_plain = value && (value->is_integer() || value->is_real() || value->is_boolean());
  return is_plain ? *value : Value(text);
}

SpelledValue settings_from(const Argument& argument, const Words& words) {
  Value settings = Map{};
  for (const std::string& word : words.all(argument.flag_name())) {
    if (looks_like_json(word)) return some(word);
    Result<KeyValue> pair = parse_key_value(argument.flag_name(), word);
    if (!pair) return pair.error();
    settings.set(pair->key, plain_value(pair->value));
  }
  if (settings.map().empty()) return nothing();
  return some(std::move(settings));
}

// JSON text continues as it is: the tools' own decoding reads it. Only "-" is the command line's.
SpelledValue records_from(const Argument& argument, const Words& words) {
  std::optional<std::string> word = words.last(argument.flag_name());
  if (!word) return nothing();
  return some(*word == "-" ? read_standard_input() : *std::move(word));
}

SpelledValue text_from(const Argument& argument, const Words& words) {
  std::optional<std::string> word =
      words.last(argument.positional ? argument.value_name() : argument.flag_name());
  return word ? some(*word) : nothing();
}

}  // namespace

Result<std::optional<Value>> spelled_value(const Argument& argument,
                                           const Words& words,
                                           const Schema* schema) {
  const std::string flag = argument.flag_name();
  switch (argument.kind) {
    case ArgumentKind::boolean: return words.has(flag) ? some(true) : nothing();
    case ArgumentKind::names: return names_from(argument, words);
    case ArgumentKind::filters: return filters_from(argument, words);
    case ArgumentKind::sorts: return sorts_from(argument, words);
    case ArgumentKind::body: return body_from(argument, words);
    case ArgumentKind::fields: return fields_from(argument, words, schema);
    case ArgumentKind::columns: return list_from(words, "column", flag, parse_column_word);
    case ArgumentKind::metrics: return list_from(words, singular(flag), flag, parse_metric_word);
    case ArgumentKind::changes: return list_from(words, singular(flag), flag, parse_change_words);
    case ArgumentKind::settings: return settings_from(argument, words);
    case ArgumentKind::records: return records_from(argument, words);
    default: return text_from(argument, words);
  }
}

}  // namespace notesdb::cli
