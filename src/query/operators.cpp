#include "query/operators.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/text.h"
#include "query/comparison.h"

namespace notesdb {

namespace {

// How a value stands to the operand; empty where the two have no common kind.
std::optional<int> compare_by_kind(const Value& value, const Operand& operand) {
  if (value.is_boolean() && operand.boolean) return value.boolean() - *operand.boolean;
  if (value.is_number() && operand.number) {
    Number number = *Number::of(value);
    if (number.is_nan() || operand.number->is_nan()) return std::nullopt;
    return compare(number, *operand.number);
  }
  if (!value.is_text()) return std::nullopt;
  const std::string& text = value.text();
  if (operand.moment) {
    std::optional<Timestamp> moment = parse_moment(text);
    if (moment) return *moment < *operand.moment ? -1 : static_cast<int>(*moment > *operand.moment);
  }
  if (operand.text) {
    return operand.natural ? compare_natural(text, *operand.text) : text.compare(*operand.text);
  }
  if (operand.number) {
    if (auto number = Number::parse(text)) return compare(*number, *operand.number);
  }
  return std::nullopt;
}

bool equals(const Value& value, const Operand& operand) {
  if (operand.whole) return same_value(value, *operand.whole);
  return compare_by_kind(value, operand) == 0;
}

template <typename Wanted>
bool ordered(const Value& value, const Operand& operand, Wanted wanted) {
  if (value.is_boolean()) return false;
  std::optional<int> order = compare_by_kind(value, operand);
  return order && wanted(*order);
}

bool greater(const Value& value, const Operand& operand) {
  return ordered(value, operand, [](int order) { return order > 0; });
}

bool greater_or_equal(const Value& value, const Operand& operand) {
  return ordered(value, operand, [](int order) { return order >= 0; });
}

bool less(const Value& value, const Operand& operand) {
  return ordered(value, operand, [](int order) { return order < 0; });
}

bool less_or_equal(const Value& value, const Operand& operand) {
  return ordered(value, operand, [](int order) { return order <= 0; });
}

// Asks every element of a list, or the one value that stands in its place.
template <typename Wanted>
bool any_element(const Value& value, Wanted wanted) {
  return value.is_list() ? std::ranges::any_of(value.list(), wanted) : wanted(value);
}

// std::string::find takes the product of both lengths where a text is made for it.
bool holds_part(const std::string& text, const std::string& part) {
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool contains(const Value& value, const Operand& operand) {
  if (value.is_text()) return holds_part(fold_case(value.text()), operand.folded);
  if (!value.is_list()) return false;
  return any_element(value, [&](const Value& item) {
    if (item.is_text()) return fold_case(item.text()) == operand.folded;
    return equals(item, operand);
  });
}

bool starts_with(const Value& value, const Operand& operand) {
  return value.is_text() && fold_case(value.text()).starts_with(operand.folded);
}

bool ends_with(const Value& value, const Operand& operand) {
  return value.is_text() && fold_case(value.text()).ends_with(operand.folded);
}

bool is_not_empty(const Value& value, const Operand&) {
  return !is_empty(value);
}

bool is_among(const Value& value, const Operand& operand) {
  return any_element(value, [&](const Value& item) {
    return std::ranges::any_of(operand.any_of,
                               [&](const Operand& choice) { return equals(item, choice); });
  });
}

bool matches(const Value& value, const Operand& operand) {
  return any_element(value, [&](const Value& item) {
    return item.is_text() && operand.pattern->matches(item.text());
  });
}

constexpr unsigned bit(Family family) {
  return 1U << static_cast<unsigned>(family);
}

constexpr unsigned written = bit(Family::text) | bit(Family::moment) | bit(Family::json);
constexpr unsigned in_order = written | bit(Family::number);
constexpr unsigned searched = written | bit(Family::list);
constexpr unsigned every = in_order | bit(Family::checkbox) | bit(Family::list);

constexpr auto positive = Sense::positive;
constexpr auto negated = Sense::negated;
constexpr auto any_value = Reach::every_value;
constexpr auto fitting = Reach::fitting_values;

constexpr std::array table{
    Operator{"eq", "=", Operands::value, every, positive, any_value, equals},
    Operator{"neq", "!=", Operands::value, every, negated, any_value, equals},
    Operator{"gt", ">", Operands::value, in_order, positive, fitting, greater},
    Operator{"gte", ">=", Operands::value, in_order, positive, fitting, greater_or_equal},
    Operator{"lt", "<", Operands::value, in_order, positive, fitting, less},
    Operator{"lte", "<=", Operands::value, in_order, positive, fitting, less_or_equal},
    Operator{"contains", "", Operands::part, searched, positive, any_value, contains},
    Operator{"not_contains", "", Operands::part, searched, negated, any_value, contains},
    Operator{"starts_with", "", Operands::part, written, positive, any_value, starts_with},
    Operator{"ends_with", "", Operands::part, written, positive, any_value, ends_with},
    Operator{"is_empty", "", Operands::none, every, negated, any_value, is_not_empty},
    Operator{"is_not_empty", "", Operands::none, every, positive, any_value, is_not_empty},
    Operator{"in", "", Operands::values, every, positive, any_value, is_among},
    Operator{"not_in", "", Operands::values, every, negated, any_value, is_among},
    Operator{"matches", "~", Operands::pattern, searched, positive, any_value, matches},
};

}  // namespace

bool Operator::suits(Family family) const {
  return (families & bit(family)) != 0;
}

std::span<const Operator> operators() {
  return table;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator& operation : table)
    names.emplace_back(operation.name);
  return names;
}

const Operator* find_operator(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Operator::name);
  return found == table.end() ? nullptr : found;
}

Result<const Operator*> get_operator(std::string_view name) {
  if (const Operator* found = find_operator(name)) return found;
  Error error = unknown_name(ErrorCode::unknown_operator, "operator", name, operator_names());
  if (fold_case(name) == "between") error.message += "; write two filters, gte and lte";
  return std::move(error).with("operator", name);
}

Result<void> check_suits(const Operator& operation, const Field& field) {
  if (operation.suits(field.family)) return {};
  std::vector<std::string> suitable;
  for (const Operator& other : table)
    if (other.suits(field.family)) suitable.emplace_back(other.name);
  std::string message = "operator '" + std::string(operation.name) + "' does not suit '" +
                        field.name + "', which is " + std::string(kind_of(field));
  std::optional<std::string> nearest = nearest_name(operation.name, suitable);
  if (field.family == Family::list) nearest = "contains";
  if (nearest) message += "; did you mean '" + *nearest + "'?";
  Error error{ErrorCode::unknown_operator, message, Map{}};
  error.data.set("field", field.name);
  error.data.set("operator", operation.name);
  error.data.set("choices", Value::list_of(suitable));
  if (nearest) error.data.set("nearest", *nearest);
  return error;
}

}  // namespace notesdb
