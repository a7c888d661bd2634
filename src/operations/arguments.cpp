#include "operations/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "json/json_value.h"
#include "query/where.h"

namespace notesdb {

namespace {

// new_row_id -> ID
std::string last_word(const std::string& name) {
  std::string word = name.substr(name.find_last_of('_') + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

// setup|renumber
std::string joined_choices(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices)
    text += (text.empty() ? "" : "|") + choice;
  return text;
}

}  // namespace

std::string Argument::flag_name() const {
  if (!flag.empty()) return flag;
  std::string spelled = name;
  std::ranges::replace(spelled, '_', '-');
  return spelled;
}

std::string Argument::value_name() const {
  if (!metavar.empty()) return metavar;
  switch (kind) {
    case ArgumentKind::database: return "DB";
    case ArgumentKind::row: return "ROW";
    case ArgumentKind::integer: return "N";
    case ArgumentKind::names: return "A,B";
    case ArgumentKind::text: return last_word(name);
    case ArgumentKind::body: return "TEXT";
    case ArgumentKind::choice: return joined_choices(choices);
    case ArgumentKind::boolean: return "";
    default: return "JSON";
  }
}

Shape shape_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::integer: return Shape::integer;
    case ArgumentKind::boolean: return Shape::boolean;
    case ArgumentKind::names:
    case ArgumentKind::filters:
    case ArgumentKind::sorts:
    case ArgumentKind::columns:
    case ArgumentKind::metrics:
    case ArgumentKind::changes:
    case ArgumentKind::records: return Shape::list;
    case ArgumentKind::fields:
    case ArgumentKind::settings: return Shape::map;
    default: return Shape::text;
  }
}

namespace {

constexpr std::size_t max_unknown = 50;    // arguments that are named; nobody fixes more at once
constexpr std::size_t max_members = 1000;  // of a list or a map; as many keys as a row may have

Error refuse(const Argument& argument, std::string reason) {
  return Error{ErrorCode::invalid_argument, argument.name + " " + std::move(reason), Map{}}.with(
      "argument", argument.name);
}

Error refuse_kind(const Argument& argument, std::string_view wanted, const Value& given) {
  return refuse(argument,
                "must be " + std::string(wanted) + ", not " + std::string(name_of(given.kind())));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// An empty body is a body; every other blank text says nothing.
bool is_absent(const Argument& argument, const Value& given) {
  if (given.is_null()) return true;
  if (!given.is_text() || argument.kind == ArgumentKind::body) return false;
  bool is_json_null = is_structured(shape_of(argument.kind)) && given.text() == "null";
  return is_json_null || is_blank(given.text());
}

std::optional<std::int64_t> whole_number(const Value& given) {
  if (given.is_integer()) return given.integer();
  constexpr double exact = 9007199254740992.0;
  if (given.is_real() && std::trunc(given.real()) == given.real() &&
      std::abs(given.real()) <= exact)
    return static_cast<std::int64_t>(given.real());
  if (!given.is_text()) return std::nullopt;
  std::int64_t number = 0;
  const std::string& text = given.text();
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<Value> decode_integer(const Argument& argument, const Value& given) {
  std::optional<std::int64_t> number = whole_number(given);
  if (number && *number >= argument.least) return Value(*number);
  return refuse(argument,
                "must be a whole number of at least " + std::to_string(argument.least) + ", not " +
                    to_display(given));
}

Result<Value> decode_boolean(const Argument& argument, const Value& given) {
  if (given.is_boolean()) return given;
  if (given == Value("true")) return Value(true);
  if (given == Value("false")) return Value(false);
  return refuse(argument, "must be true or false, not " + to_display(given));
}

Result<Value> decode_text(const Argument& argument, const Value& given) {
  if (given.is_integer()) return Value(std::to_string(given.integer()));
  if (!given.is_text()) return refuse_kind(argument, "text", given);
  if (argument.kind != ArgumentKind::choice) return given;
  if (std::ranges::find(argument.choices, given.text()) != argument.choices.end()) return given;
  return unknown_name(ErrorCode::invalid_argument, argument.name, given.text(), argument.choices);
}

bool looks_like_json(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
}

// Where names are what a list holds, bare text is a list of them, apart by commas. A sort reads
// its text itself.
bool takes_bare_names(ArgumentKind kind) {
  return kind == ArgumentKind::names || kind == ArgumentKind::sorts ||
         kind == ArgumentKind::metrics;
}

List bare_names(const Argument& argument, const Value& text) {
  if (argument.kind == ArgumentKind::sorts) return {text};
  constexpr std::string_view spaces = " \t\r\n";
  List names;
  std::string_view rest = text.text();
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, comma);
    name.remove_prefix(std::min(name.find_first_not_of(spaces), name.size()));
    name = name.substr(0, name.find_last_not_of(spaces) + 1);
    if (!name.empty()) names.emplace_back(name);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names;
}

Result<Value> decode_json_text(const Argument& argument, const Value& given) {
  if (!given.is_text()) return given;
  if (takes_bare_names(argument.kind) && !looks_like_json(given.text())) return given;
  Result<Value> decoded = parse_json(given.text());
  if (!decoded) return refuse(argument, "is text that should be JSON: " + decoded.error().message);
  return decoded;
}

bool holds_names_only(const Value& list) {
  return std::ranges::all_of(list.list(), &Value::is_text);
}

Result<Value> decode_typed_filters(const Argument& argument, const Value& given) {
  Result<Value> filters = without_typed_filters(given);
  if (!filters) return refuse(argument, "cannot be read: " + filters.error().message);
  return filters;
}

Result<Value> decode_list(const Argument& argument, const Value& given) {
  if (argument.kind == ArgumentKind::filters && given.is_text() && !looks_like_json(given.text()))
    return decode_typed_filters(argument, given);
  Result<Value> decoded = decode_json_text(argument, given);
  if (!decoded) return decoded;
  const bool is_bare = decoded->is_text() && takes_bare_names(argument.kind) && *decoded == given;
  if (is_bare) return Value(bare_names(argument, given));
  const bool single = decoded->is_map() && argument.kind != ArgumentKind::names;
  Value list = single ? Value(List{*decoded}) : *std::move(decoded);
  if (!list.is_list()) return refuse_kind(argument, "a list", list);
  if (argument.kind == ArgumentKind::names && !holds_names_only(list))
    return refuse(argument, "must be a list of names");
  if (argument.kind == ArgumentKind::filters) return decode_typed_filters(argument, list);
  return list;
}

Result<Value> decode_map(const Argument& argument, const Value& given) {
  Result<Value> decoded = decode_json_text(argument, given);
  if (decoded && !decoded->is_map()) return refuse_kind(argument, "a map", *decoded);
  return decoded;
}

Result<void> check_count(const Argument& argument, const Value& given) {
  const std::size_t size = given.is_list()  ? given.list().size()
                           : given.is_map() ? given.map().size()
                                            : 0;
  if (size <= max_members) return {};
  return refuse(argument, "has " + std::to_string(size) + " members; at most 1000 are taken");
}

// What an operation reads itself has limits of its own.
Result<Value> decode_members(const Argument& argument, const Value& given) {
  const auto decode = shape_of(argument.kind) == Shape::list ? decode_list : decode_map;
  if (argument.kind == ArgumentKind::records) return decode(argument, given);
  // Those of a text are counted when it is read, all others before they are copied.
  if (auto few = check_count(argument, given); !few) return few.error();
  Result<Value> decoded = decode(argument, given);
  if (!decoded) return decoded;
  if (auto few = check_count(argument, *decoded); !few) return few.error();
  return decoded;
}

Result<Value> decode(const Argument& argument, const Value& given) {
  switch (shape_of(argument.kind)) {
    case Shape::integer: return decode_integer(argument, given);
    case Shape::boolean: return decode_boolean(argument, given);
    case Shape::list:
    case Shape::map: return decode_members(argument, given);
    case Shape::text: return decode_text(argument, given);
  }
  return given;
}

std::vector<std::string> offered_names(const std::vector<Argument>& known, Door door) {
  std::vector<std::string> names;
  for (const Argument& argument : known)
    if (holds_for(argument.offered, door)) names.push_back(argument.name);
  return names;
}

std::vector<Error> unknown_arguments(const std::vector<Argument>& known,
                                     const Map& given,
                                     Door door) {
  const auto is_known = [&](const std::string& name) {
    return std::ranges::any_of(known, [&](const Argument& argument) {
      return argument.name == name && holds_for(argument.offered, door);
    });
  };
  std::vector<std::string> names;  // once one is needed to say what would be right
  std::vector<Error> errors;
  for (const Member& member : given) {
    if (errors.size() == max_unknown) break;
    if (is_known(member.key)) continue;
    if (names.empty()) names = offered_names(known, door);
    Error error = unknown_name(ErrorCode::invalid_argument, "argument", member.key, names);
    const bool is_near = error.data.find("nearest") != nullptr;
    if (!is_near && std::ranges::find(known, ArgumentKind::fields, &Argument::kind) != known.end())
      error.message += "; values of columns stand within fields";
    errors.push_back(std::move(error));
  }
  return errors;
}

Error missing(const Argument& argument) {
  std::string hint = argument.if_missing.empty() ? "" : "; " + argument.if_missing;
  return refuse(argument, "is missing" + hint);
}

}  // namespace

Decoding decode_arguments(const std::vector<Argument>& known, const Value& given, Door door) {
  const Map nothing;
  if (!given.is_null() && !given.is_map())
    return {Arguments({}), {{ErrorCode::invalid_argument, "the arguments must be a map", Map{}}}};
  const Map& members = given.is_map() ? given.map() : nothing;
  std::vector<Error> errors = unknown_arguments(known, members, door);
  Map decoded;
  for (const Argument& argument : known) {
    if (!holds_for(argument.offered, door)) continue;
    const Value* value = find_member(members, argument.name);
    if (value != nullptr && !is_absent(argument, *value)) {
      Result<Value> result = decode(argument, *value);
      if (!result) errors.push_back(result.error());
      if (result) decoded.push_back({argument.name, *std::move(result)});
    } else if (holds_for(argument.required, door)) {
      errors.push_back(missing(argument));
    } else if (!argument.fallback.is_null() && holds_for(argument.fallback_at, door)) {
      decoded.push_back({argument.name, argument.fallback});
    }
  }
  return {Arguments(std::move(decoded)), std::move(errors)};
}

const Value& Arguments::value(std::string_view name) const {
  static const Value nothing;
  const Value* found = find(name);
  return found == nullptr ? nothing : *found;
}

std::string Arguments::text(std::string_view name) const {
  return optional_text(name).value_or("");
}

std::optional<std::string> Arguments::optional_text(std::string_view name) const {
  const Value* found = find(name);
  if (found == nullptr) return std::nullopt;
  return found->text();
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
  const Value* found = find(name);
  if (found == nullptr) return std::nullopt;
  return found->integer();
}

bool Arguments::is_set(std::string_view name) const {
  const Value* found = find(name);
  return found != nullptr && found->boolean();
}

std::vector<std::string> Arguments::names(std::string_view name) const {
  std::vector<std::string> names;
  for (const Value& item : value(name).is_list() ? value(name).list() : List{})
    names.push_back(item.text());
  return names;
}

}  // namespace notesdb
