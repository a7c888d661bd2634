#include "query/operand.h"

#include <algorithm>

#include "core/link.h"
#include "core/text.h"

namespace notesdb {

namespace {

Error refused(const Field& field, const std::string& message) {
  return Error{ErrorCode::invalid_value, "'" + field.name + "' " + message, Map{}}.with("field",
                                                                                        field.name);
}

Error wrong_value(const Field& field, std::string_view takes, const Value& given) {
  return refused(field, "takes " + std::string(takes) + ", not " + to_display(given))
      .with("value", given);
}

Error takes_one_value(const Field& field, const Value& given) {
  return wrong_value(field, "one value here ('in' and 'not_in' take a list)", given);
}

// A whole number or a boolean has one spelling; a real has many, so its text would be a guess.
std::optional<std::string> text_of(const Value& given) {
  if (given.is_text()) return given.text();
  if (given.is_integer() || given.is_boolean()) return to_display(given);
  return std::nullopt;
}

void set_text(Operand& operand, std::string text) {
  operand.folded = fold_case(text);
  operand.text = std::move(text);
}

Result<Operand> parse_text(const Value& given, const Field& field) {
  std::optional<std::string> text = text_of(given);
  if (!text) return wrong_value(field, "text (a number with a point goes in quotes)", given);
  if (field.type == ColumnType::relation) text = row_named_by(*text, field.target);
  Operand operand;
  operand.natural = field.source == Field::Source::id;
  set_text(operand, *std::move(text));
  return operand;
}

Result<Operand> parse_number(const Value& given, const Field& field) {
  std::optional<Number> number = Number::of(given);
  if (!number) return wrong_value(field, "a number", given);
  Operand operand;
  operand.number = std::move(number);
  return operand;
}

std::optional<bool> boolean_of(const Value& given) {
  if (given.is_boolean()) return given.boolean();
  if (given == Value("true")) return true;
  if (given == Value("false")) return false;
  return std::nullopt;
}

Result<Operand> parse_checkbox(const Value& given, const Field& field) {
  Operand operand;
  operand.boolean = boolean_of(given);
  if (!operand.boolean) return wrong_value(field, "true or false", given);
  return operand;
}

// A relative date counts from the local clock, but a file's time is kept in UTC.
std::optional<Timestamp> moment_of(const Value& given, const Field& field, const Clock& clock) {
  if (!given.is_text()) return std::nullopt;
  if (auto moment = parse_moment(given.text())) return moment;
  std::optional<Timestamp> moment = parse_relative_moment(given.text(), clock.local);
  bool in_utc = field.source == Field::Source::modified;
  if (moment && in_utc) moment->microseconds -= clock.utc_offset;
  return moment;
}

Result<Operand> parse_date(const Value& given, const Field& field, const Clock& clock) {
  Operand operand;
  operand.moment = moment_of(given, field, clock);
  if (!operand.moment) {
    return wrong_value(
        field, "a date such as 2026-01-31, 2026-01-31T09:05, today, today+7d or now-2h", given);
  }
  return operand;
}

// Every form that loses nothing. A number is not a text here: texts do not come before or after it.
Operand parse_any(const Value& given, const Field& field, const Clock& clock) {
  Operand operand;
  if (!given.is_scalar()) {
    operand.whole = given;
    return operand;
  }
  operand.number = Number::of(given);
  operand.boolean = boolean_of(given);
  operand.moment = moment_of(given, field, clock);
  if (given.is_text()) operand.text = given.text();
  operand.folded = fold_case(given.is_text() ? given.text() : to_display(given));
  return operand;
}

// One value of the field's type; of a list, one element.
Result<Operand> parse_one(const Value& given, const Field& field, const Clock& clock) {
  if (field.family == Family::json) return parse_any(given, field, clock);
  if (!given.is_scalar()) return takes_one_value(field, given);
  switch (field.family) {
    case Family::number: return parse_number(given, field);
    case Family::moment: return parse_date(given, field, clock);
    case Family::checkbox: return parse_checkbox(given, field);
    default: return parse_text(given, field);
  }
}

Result<Operand> parse_whole_list(const Value& given, const Field& field) {
  if (!given.is_list()) {
    return refused(field,
                   "is a list and is compared with a list here, not with " + to_display(given) +
                       "; use 'contains' for one element")
        .with("value", given)
        .with("nearest", "contains");
  }
  List texts;
  for (const Value& item : given.list()) {
    std::optional<std::string> text = text_of(item);
    if (!text && !item.is_null()) return wrong_value(field, "a list of texts", given);
    texts.push_back(text ? field.read(Value(*text)) : Value());
  }
  Operand operand;
  operand.whole = std::move(texts);
  return operand;
}

Result<Operand> parse_part(const Value& given, const Field& field, const Clock& clock) {
  if (!given.is_scalar()) return wrong_value(field, "one text here", given);
  if (field.family == Family::json) return parse_any(given, field, clock);
  if (field.family == Family::list) return parse_text(given, field);
  std::optional<std::string> text = text_of(given);
  if (!text) return wrong_value(field, "text (a number with a point goes in quotes)", given);
  Operand operand;
  set_text(operand, *std::move(text));
  return operand;
}

Result<Operand> parse_values(const Value& given, const Field& field, const Clock& clock) {
  if (given.is_map()) return wrong_value(field, "a list of values here", given);
  const List single{given};
  Operand operand;
  std::vector<Error> errors;
  for (const Value& item : given.is_list() ? given.list() : single) {
    Result<Operand> choice =
        item.is_null() ? wrong_value(field, "values here", item) : parse_one(item, field, clock);
    if (choice) {
      operand.any_of.push_back(*std::move(choice));
    } else {
      errors.push_back(choice.error());
    }
  }
  if (!errors.empty()) return join(errors);
  return operand;
}

Result<Operand> parse_pattern(const Value& given, const Field& field) {
  std::optional<std::string> text = text_of(given);
  if (!text) return wrong_value(field, "a pattern (RE2) here", given);
  Result<Pattern> pattern = Pattern::parse(*text);
  if (!pattern) {
    Error error = pattern.error();
    error.message = "'" + field.name + "': " + error.message;
    return std::move(error).with("field", field.name);
  }
  Operand operand;
  operand.pattern = *std::move(pattern);
  return operand;
}

}  // namespace

Result<Operand> parse_operand(const Value& given,
                              Operands operands,
                              const Field& field,
                              const Clock& clock) {
  switch (operands) {
    case Operands::none: return Operand{};
    case Operands::value:
      if (field.family == Family::list) return parse_whole_list(given, field);
      return parse_one(given, field, clock);
    case Operands::part: return parse_part(given, field, clock);
    case Operands::values: return parse_values(given, field, clock);
    case Operands::pattern: return parse_pattern(given, field);
  }
  return Operand{};
}

}  // namespace notesdb
