#include "cli/operation_command.h"

#include <algorithm>
#include <iterator>

#include "alter/schema_change.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/text.h"
#include "index/database_folder.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"
#include "query/where.h"

namespace notesdb::cli {

char separator_of(const Words& words) {
  const std::string word = words.last("separator").value_or(",");
  if (word == "tab" || word == "\\t") return '\t';
  return word.size() == 1 ? word.front() : ',';
}

Result<void> check_separator(const Words& words) {
  const std::optional<std::string> word = words.last("separator");
  if (!word || *word == "tab" || *word == "\\t") return {};
  constexpr std::string_view separators = ",;|:\t ";
  if (word->size() == 1 && separators.find(word->front()) != std::string_view::npos) return {};
  return Error{ErrorCode::invalid_argument,
               "--separator '" + *word + "' should be one of , ; | : tab or a space",
               Map{}};
}

namespace {

constexpr std::string_view file_suffix = "-file";

Error wrong_words(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

bool looks_like_json(std::string_view text) {
  return text.starts_with('[') || text.starts_with('{');
}

// The words between commas; empty ones are none.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
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

// "sum:estimate=evenings" -> {function, field, as}.
Value parse_metric_word(const std::string& word) {
  std::size_t equals = word.find('=');
  std::string asked = word.substr(0, equals);
  std::size_t colon = asked.find(':');
  Value metric = Map{{"function", asked.substr(0, colon)}};
  if (colon != std::string::npos) metric.set("field", asked.substr(colon + 1));
  if (equals != std::string::npos) metric.set("as", word.substr(equals + 1));
  return metric;
}

// The value of `--set key=text`, by the column: a,b is a list where lists are held.
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
  return Value::list_of(words_of(text));
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
    column.set("options", Value::list_of(words_of(rest)));
  return column;
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
    for (std::string& name : words_of(word))
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

// The value of an argument as its words spell it; nothing if there are none.
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

// Whether answers come in pages: then a person may ask for the number alone.
const Argument* page_argument(const Operation& operation) {
  for (const Argument& argument : operation.arguments) {
    bool is_page = argument.kind == ArgumentKind::integer && argument.fallback_at == Doors::tools;
    if (is_page) return &argument;
  }
  return nullptr;
}

// Whether the texts of the command line mean different things for different columns.
bool needs_schema(const Operation& operation, const Words& words) {
  return operation.find_argument(ArgumentKind::fields) != nullptr && words.has("set");
}

Result<Schema> schema_of(Workspace& workspace, const Operation& operation, const Words& words) {
  const Argument* argument = operation.find_argument(ArgumentKind::database);
  std::string id = words.last(argument->value_name()).value_or("");
  Result<Database*> database = workspace.get(id);
  if (!database) return database.error();
  // Only the schema file: what else Database::schema() says is learnt from every row.
  auto folder = (*database)->folder();
  if (!folder) return folder.error();
  return (*folder)->schema();
}

// Whether it is among the tools. The others may start a git that asks a person for a password.
bool is_tool(const Operation& operation) {
  return find_operation(operation.name) == &operation;
}

class OperationRun {
 public:
  OperationRun(const Operation& operation, const Session& session)
      : operation_(operation), session_(session) {}

  Result<Value> run() { return ask(dispatch); }
  Result<WrittenAnswer> run_as_json() { return ask(dispatch_as_json); }
  Result<WrittenAnswer> run_as_lines() { return ask(dispatch_as_lines); }

  // Writes what is left of the answer, and then does what waited for that.
  void finish() {
    const bool is_told = once_told_.empty() || session_.console.flush();
    if (!is_told) return;
    for (const std::function<void()>& work : once_told_)
      work();
  }

 private:
  template <typename Answer>
  Result<Answer> ask(Result<Answer> (*way)(const Operation&, const Value&, const Context&)) {
    Result<std::shared_ptr<Workspace>> workspace = session_.workspace();
    if (!workspace) return workspace.error();
    Result<Value> arguments = read_arguments(**workspace);
    if (!arguments) return arguments.error();
    std::optional<InterruptNotice> interrupt;
    // A server that works for somebody else's command has signals of its own.
    if (&session_.around == &own_environment())
      interrupt.emplace(writes(operation_.effect) ? whole_or_not : nothing_changed);
    std::optional<Waiting> waiting;
    if (is_tool(operation_)) waiting.emplace(session_, operation_.command);
    Context context{.workspace = **workspace,
                    .door = Door::commands,
                    .caps = Caps::none,
                    .once_told = &once_told_};
    if (waiting)
      context.progress = [&](double done, double total, std::string_view what) {
        const auto number = [](double count) {
          return std::to_string(static_cast<std::int64_t>(count));
        };
        waiting->show(number(done) + " of " + number(total) + " " + std::string(what));
      };
    return way(operation_, *arguments, context);
  }

  Result<Value> read_arguments(Workspace& workspace) {
    Schema schema;
    if (needs_schema(operation_, session_.words)) {
      Result<Schema> found = schema_of(workspace, operation_, session_.words);
      if (!found) return found.error();
      schema = *std::move(found);
    }
    Result<Value> arguments = arguments_of(operation_, session_.words, &schema);
    if (!arguments) return arguments;
    if (session_.words.has("count")) arguments->set(page_argument(operation_)->name, 0);
    return arguments;
  }

  const Operation& operation_;
  const Session& session_;
  std::vector<std::function<void()>> once_told_;
};

Exit run_operation(const Operation& operation, const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  OperationRun call(operation, session);
  // A program gets the text as it is made; a person's is laid out from the value.
  const bool is_for_program = !session.console.is_terminal();
  const bool as_lines = *format == OutputFormat::jsonl && operation.run_as_lines != nullptr;
  if (is_for_program && operation.is_bad_news == nullptr &&
      (as_lines || *format == OutputFormat::json)) {
    Result<WrittenAnswer> answer = as_lines ? call.run_as_lines() : call.run_as_json();
    if (!answer) return report(session, answer.error(), Exit::failed);
    show_written(session.console, *format, operation, *std::move(answer));
    call.finish();
    return Exit::done;
  }
  Result<Value> result = call.run();
  if (!result) return report(session, result.error(), Exit::failed);
  if (session.words.has("count") && *format == OutputFormat::table) {
    show_count(session.console, operation, *result);
    return Exit::done;
  }
  Result<void> shown = show(session.console, *format, operation, *result);
  if (!shown) return report(session, shown.error(), Exit::wrong_usage);
  call.finish();
  const bool is_bad = operation.is_bad_news != nullptr && operation.is_bad_news(*result);
  return is_bad ? Exit::failed : Exit::done;
}

}  // namespace

Command command_of(const Operation& operation) {
  Command command{.name = operation.command, .summary = operation.title};
  command.notes.push_back(operation.description);
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::commands)) continue;
    if (argument.positional) {
      bool required = holds_for(argument.required, Door::commands);
      command.positionals.push_back({argument.value_name(), argument.flag_description(), required});
      continue;
    }
    std::ranges::move(flags_of(argument, operation.effect), std::back_inserter(command.flags));
  }
  if (page_argument(operation) != nullptr)
    command.flags.push_back({"count", "", "print only how many rows match"});
  command.run = [&operation](const Session& session) { return run_operation(operation, session); };
  return command;
}

Result<Value> arguments_of(const Operation& operation, const Words& words, const Schema* schema) {
  Value arguments = Map{};
  std::vector<Error> errors;
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::commands)) continue;
    Result<std::optional<Value>> value = spelled_value(argument, words, schema);
    if (!value)
      errors.push_back(value.error());
    else if (*value)
      arguments.set(argument.name, **std::move(value));
  }
  if (!errors.empty()) return join(errors);
  return arguments;
}

}  // namespace notesdb::cli
