#include "database/validate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/budget.h"
#include "core/date.h"
#include "core/date_format.h"
#include "core/text.h"
#include "index/relation_cache.h"
#include "query/field.h"
#include "query/number.h"
#include "yaml/scalar.h"
#include "yaml/writer.h"

namespace notesdb {
namespace {

constexpr std::size_t max_unknown = 50;  // fields that are named; nobody fixes more at once

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Violation option_violation(const Column& column, std::string_view value) {
  std::string message = quoted(value) + " is not an option of " + column.id +
                        "; options: " + list_names(column.options);
  if (const auto nearest = nearest_name(value, column.options)) {
    message += "; did you mean " + quoted(*nearest) + "?";
  }
  return {column.id, "option", message};
}

void check_options(const Column& column, const Value& value, std::vector<Violation>& out) {
  if (column.options.empty()) return;
  const auto check_one = [&](const Value& item) {
    if (!item.is_text() || item.text().empty()) return;
    if (std::find(column.options.begin(), column.options.end(), item.text()) !=
        column.options.end()) {
      return;
    }
    out.push_back(option_violation(column, item.text()));
  };
  if (!value.is_list()) return check_one(value);
  std::for_each(value.list().begin(), value.list().end(), check_one);
}

// Negative, 0 or positive; empty where the two cannot be compared.
std::optional<int> compare_bound(const Value& value, const Value& bound) {
  if (value.is_number()) {
    const auto limit = Number::of(bound);
    return limit ? std::optional<int>(compare(*Number::of(value), *limit)) : std::nullopt;
  }
  if (!value.is_text() || !bound.is_text()) return std::nullopt;
  const auto moment = parse_moment(value.text());
  const auto limit = parse_moment(bound.text());
  if (!moment || !limit) return std::nullopt;
  return *moment < *limit ? -1 : (*limit < *moment ? 1 : 0);
}

void check_range(const Column& column, const Value& value, std::vector<Violation>& out) {
  if (column.min && compare_bound(value, *column.min).value_or(0) < 0) {
    out.push_back({column.id,
                   "range",
                   column.id + " is " + to_display(value) + ", less than the least allowed, " +
                       to_display(*column.min)});
  }
  if (column.max && compare_bound(value, *column.max).value_or(0) > 0) {
    out.push_back({column.id,
                   "range",
                   column.id + " is " + to_display(value) + ", more than the most allowed, " +
                       to_display(*column.max)});
  }
}

void check_decimals(const Column& column, const Value& value, std::vector<Violation>& out) {
  if (!column.decimals || !value.is_real() || write_decimals(value, &column)) return;
  out.push_back({column.id,
                 "decimals",
                 column.id + " is " + to_display(value) + ", which has more than " +
                     std::to_string(*column.decimals) + " decimals"});
}

bool is_textual(ColumnType type) {
  switch (type) {
    case ColumnType::text:
    case ColumnType::url:
    case ColumnType::select:
    case ColumnType::relation: return true;
    default: return false;
  }
}

Error wrong_type(const Column& column, const Value& given) {
  return {ErrorCode::invalid_value,
          column.id + " is a " + column.type_name + " column and cannot hold " + to_display(given) +
              (given == Value("") ? "; null clears it" : ""),
          Map{}};
}

// Numbers and truth values have one spelling each, so text columns take them.
Result<Value> to_scalar(const Column& column, const Value& given) {
  if (given.is_null()) return Value();
  if (given.is_list() || given.is_map()) return wrong_type(column, given);
  if (given.is_text() && !column.formats.empty()) {
    const auto moment = parse_given_date(column, given.text());
    if (!moment) return wrong_type(column, given);
    const auto written = write_date(*moment, column);
    const auto read = written ? parse_written_date(column, *written) : std::nullopt;
    if (read == moment) return Value(format_moment(*read));
    return Error{ErrorCode::invalid_value,
                 column.id + " cannot hold " + to_display(given) + " in its format " +
                     column.formats.front(),
                 Map{}};
  }
  if (given.is_text() && column.type == ColumnType::number) {
    Reading reading = read_given_number(column, given.text());
    if (reading.fits()) return std::move(reading.value);
    if (column.number_format.is_plain() || given == Value("")) return wrong_type(column, given);
    return Error{ErrorCode::invalid_value, column.id + ": " + reading.problem, Map{}};
  }
  if (given.is_text()) {
    const Reading reading = read_as(column, NodeStyle::double_quoted, given.text());
    if (!reading.fits()) return wrong_type(column, given);
    return reading.value;
  }
  if (column.type == ColumnType::number && given.is_number()) return given;
  if (column.type == ColumnType::checkbox && given.is_boolean()) return given;
  if (is_textual(column.type)) return Value(to_display(given));
  return wrong_type(column, given);
}

Result<Value> to_list(const Column& column, const Value& given) {
  if (given.is_null()) return Value();
  if (given.is_text()) return Value(List{given});
  if (!given.is_list()) return wrong_type(column, given);
  List items;
  for (const Value& item : given.list()) {
    if (item.is_null() || item.is_list() || item.is_map()) return wrong_type(column, given);
    items.push_back(item.is_text() ? item : Value(to_display(item)));
  }
  return Value(std::move(items));
}

}  // namespace

FieldRules::FieldRules(const Schema& schema) : schema_(schema) {
  for (const Column& column : schema.columns) {
    std::optional<Pattern> pattern;
    if (!column.pattern.empty()) {
      // A pattern that is none is an issue of the schema, and binds nobody.
      if (auto parsed = Pattern::parse(column.pattern)) pattern = std::move(*parsed);
    }
    patterns_.push_back(std::move(pattern));
  }
}

std::vector<Violation> FieldRules::check(std::size_t index,
                                         const std::optional<Value>& value) const {
  const Column& column = schema_.columns[index];
  std::vector<Violation> violations;
  if (!value || is_empty(*value)) {
    if (column.required) violations.push_back({column.id, "required", column.id + " is required"});
    return violations;
  }
  check_options(column, *value, violations);
  check_range(column, *value, violations);
  check_decimals(column, *value, violations);
  if (patterns_[index] && value->is_text()) check_pattern(index, *value, violations);
  return violations;
}

std::optional<bool> PatternTime::matches(const Pattern& pattern, std::string_view text) {
  // A look at the clock costs as much as a short text.
  constexpr std::size_t short_bytes = 64;
  constexpr std::chrono::nanoseconds max_time = std::chrono::seconds{2};
  const std::chrono::nanoseconds left = max_time - std::chrono::nanoseconds(taken_ns_.load());
  if (left.count() <= 0) return std::nullopt;
  if (text.size() <= short_bytes) return pattern.matches(text);
  const auto begun = Budget::Clock::now();
  std::optional<bool> found;
  try {
    const Budget budget({.time = std::chrono::ceil<std::chrono::milliseconds>(left)});
    found = pattern.matches(text);
  } catch (const BudgetSpent&) {
    found.reset();
  }
  taken_ns_ += std::chrono::nanoseconds(Budget::Clock::now() - begun).count();
  return found;
}

void FieldRules::check_pattern(std::size_t index,
                               const Value& value,
                               std::vector<Violation>& violations) const {
  const Column& column = schema_.columns[index];
  const auto found = pattern_time_.matches(*patterns_[index], value.text());
  if (!found) {
    violations.push_back({column.id,
                          "pattern",
                          column.id + " was not checked: the pattern " + column.pattern +
                              " takes too long; simplify it"});
  } else if (!*found) {
    violations.push_back({column.id,
                          "pattern",
                          column.id + " is " + to_display(value) +
                              ", which does not match the pattern " + column.pattern});
  }
}

Result<Value> to_column_value(const Column& column, const Value& given) {
  if (column.type == ColumnType::json) return given;
  return column.holds_list() ? to_list(column, given) : to_scalar(column, given);
}

std::optional<Error> JudgedFields::refusal() const {
  std::vector<Error> all = errors;
  if (!violations.empty()) all.push_back(refuse(violations));
  if (all.empty()) return std::nullopt;
  return join(all);
}

JudgedFields judge_fields(const Schema& schema, const Map& given, const RowExists& exists) {
  JudgedFields judged;
  const FieldRules rules(schema);
  const auto add = [&](std::vector<Violation> found) {
    judged.violations.insert(judged.violations.end(), found.begin(), found.end());
  };
  for (const Member& field : given) {
    const auto index = schema.index_of(field.key);
    if (!index && judged.errors.size() >= max_unknown) continue;
    if (!index) {
      judged.errors.push_back(unknown_column(field.key, schema));
      continue;
    }
    const Column& column = schema.columns[*index];
    if (!column.writable()) {
      judged.errors.push_back(
          {ErrorCode::invalid_value,
           column.id + " is a " + column.type_name + " column, which is not written",
           Map{}});
      continue;
    }
    if (column.auto_date != AutoDate::none) {
      judged.errors.push_back({ErrorCode::invalid_value,
                               column.id + " is set by notesdb itself (auto: " +
                                   std::string(name_of(column.auto_date)) + "); leave it out",
                               Map{}});
      continue;
    }
    auto value = to_column_value(column, field.value);
    if (!value) {
      add({{column.id, "type", value.error().message}});
      continue;
    }
    add(rules.check(*index, *value));
    if (column.type == ColumnType::relation && exists) add(check_relation(column, *value, exists));
    judged.fields.push_back({field.key, std::move(*value)});
  }
  return judged;
}

std::vector<Violation> check_relation(const Column& column,
                                      const Value& value,
                                      const RowExists& exists) {
  std::vector<Violation> violations;
  const List one{value};
  for (const Value& item : value.is_list() ? value.list() : one) {
    for (const std::string& id : related_rows(column, item)) {
      // A link may also name the row by its name alone.
      if (exists(column.target, id) || (id != item.text() && exists(column.target, item.text())))
        continue;
      violations.push_back({column.id,
                            "relation",
                            column.id + " names the row " + quoted(id) + ", which the database " +
                                quoted(column.target) + " does not have"});
    }
  }
  return violations;
}

Error refuse(const std::vector<Violation>& violations) {
  std::string message;
  List list;
  for (const Violation& violation : violations) {
    message += (message.empty() ? "" : "; ") + violation.message;
    list.push_back(
        Map{{"field", violation.field}, {"rule", violation.rule}, {"message", violation.message}});
  }
  return Error{ErrorCode::invalid_value, std::move(message), Map{}}.with("violations",
                                                                         std::move(list));
}

}  // namespace notesdb
