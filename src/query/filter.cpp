#include "query/filter.h"

#include <algorithm>

#include "core/result.h"
#include "core/text.h"
#include "query/argument.h"

namespace notesdb {

bool Condition::holds(const Value& value, Fit fit) const {
  bool out_of_reach = operation->reach == Reach::fitting_values && fit == Fit::does_not_fit;
  if (out_of_reach) return false;
  bool positive = false;
  if (field.spreads()) {
    positive = std::ranges::any_of(
        value.list(), [&](const Value& found) { return operation->holds(found, operand); });
  } else {
    positive = operation->holds(value, operand);
  }
  return positive == (operation->sense == Sense::positive);
}

namespace {

constexpr std::string_view shape =
    "a filter is {\"field\": ..., \"operator\": ..., \"value\": ...} or {\"any\": [filter, ...]}";

Error wrong_shape(const std::string& message) {
  return Error{ErrorCode::invalid_argument, message + "; " + std::string(shape), Map{}};
}

// Reads a filter list and gathers everything that is wrong with it.
class FilterParser {
 public:
  FilterParser(const Schema& schema, const Clock& clock) : schema_(schema), clock_(clock) {}

  Result<Filter> parse(const Value& given) {
    Filter filter;
    if (is_absent(given)) return filter;
    for_each_element(given, "filters", [&](const Value& element) {
      if (refuse_connective(element)) return;
      filter.all.push_back(element.find("any") != nullptr ? parse_any(element)
                                                          : AnyOf{parse_condition(element)});
    });
    if (!errors_.empty()) return join(errors_);
    return filter;
  }

 private:
  // A list, or one object that stands for a list of one.
  template <typename Each>
  void for_each_element(const Value& given, std::string_view name, Each each) {
    if (given.is_map()) {
      each(given);
    } else if (given.is_list()) {
      std::ranges::for_each(given.list(), each);
    } else {
      errors_.push_back(wrong_shape("'" + std::string(name) +
                                    "' must be a list of filters or JSON text of one, not " +
                                    to_display(given)));
    }
  }

  // {"or": [...]} and its like, of other languages: what stands for them here.
  bool refuse_connective(const Value& element) {
    if (!element.is_map() || element.map().size() != 1) return false;
    const std::string& key = element.map().front().key;
    const std::string word = fold_case(key.substr(key.starts_with('$') ? 1 : 0));
    std::string advice;
    if (word == "or") advice = R"(write {"any": [filter, ...]})";
    if (word == "and" || word == "all") advice = "write a list of filters: all of them must hold";
    if (word == "not") advice = "write the opposite operator, such as neq or not_in";
    if (advice.empty()) return false;
    Error error{ErrorCode::invalid_argument, "unknown filter key '" + key + "'; " + advice, Map{}};
    if (word == "or") error.data.set("nearest", "any");
    errors_.push_back(std::move(error));
    return true;
  }

  AnyOf parse_any(const Value& element) {
    check_keys(element, {"any"});
    AnyOf group;
    for_each_element(*element.find("any"), "any", [&](const Value& triple) {
      if (triple.find("any") != nullptr) {
        errors_.push_back(wrong_shape("an 'any' cannot hold another 'any'"));
      } else {
        group.push_back(parse_condition(triple));
      }
    });
    if (group.empty() && errors_.empty()) {
      errors_.push_back(wrong_shape("an 'any' needs at least one filter"));
    }
    return group;
  }

  // Whether every key is one of those.
  bool check_keys(const Value& element, const std::vector<std::string>& allowed) {
    const std::size_t before = errors_.size();
    for (const Member& member : element.map()) {
      if (std::ranges::find(allowed, member.key) != allowed.end()) continue;
      Error error = unknown_name(ErrorCode::invalid_argument, "filter key", member.key, allowed);
      if (error.data.find("nearest") == nullptr && allowed.size() > 1)
        error.message += R"(; a filter is {"field": ..., "operator": ..., "value": ...})";
      errors_.push_back(std::move(error));
    }
    return errors_.size() == before;
  }

  // The text under a key that a triple must have.
  std::optional<std::string> required_text(const Value& triple, std::string_view key) {
    const Value* value = triple.find(key);
    if (value != nullptr && value->is_text()) return value->text();
    std::string problem = value == nullptr || value->is_null() ? " is missing" : " must be text";
    errors_.push_back(
        wrong_shape("the '" + std::string(key) + "' of filter " + to_display(triple) + problem));
    return std::nullopt;
  }

  Condition parse_condition(const Value& triple) {
    Condition condition;
    if (!triple.is_map()) {
      errors_.push_back(
          wrong_shape("'filters' holds " + to_display(triple) + ", which is not a filter"));
      return condition;
    }
    const bool lacks_nothing =
        triple.find("field") != nullptr && triple.find("operator") != nullptr;
    // A key with another name is what is missing.
    if (!check_keys(triple, {"field", "operator", "value"}) && !lacks_nothing) return condition;
    std::optional<std::string> field_name = required_text(triple, "field");
    std::optional<std::string> operator_name = required_text(triple, "operator");
    bool bound = field_name && keep(bind_field(*field_name, schema_), condition.field, errors_);
    bool known = operator_name && keep(get_operator(*operator_name), condition.operation, errors_);
    if (bound && known) parse_value(triple, condition);
    return condition;
  }

  void parse_value(const Value& triple, Condition& condition) {
    const Operator& operation = *condition.operation;
    if (auto suits = check_suits(operation, condition.field); !suits) {
      errors_.push_back(suits.error());
      return;
    }
    const Value* value = triple.find("value");
    bool given = value != nullptr && !value->is_null();
    bool wanted = operation.operands != Operands::none;
    if (given && wanted) {
      keep(parse_operand(*value, operation.operands, condition.field, clock_),
           condition.operand,
           errors_);
    } else if (given != wanted) {
      errors_.push_back(wrong_arity(condition, given));
    }
  }

  static Error wrong_arity(const Condition& condition, bool given) {
    std::string name(condition.operation->name);
    std::string message = "operator '" + name + "' on '" + condition.field.name + "' ";
    message += given ? "takes no value" : "needs a value ('is_empty' finds missing and null ones)";
    return Error{ErrorCode::invalid_argument, message, Map{}}
        .with("field", condition.field.name)
        .with("operator", name);
  }

  const Schema& schema_;
  const Clock& clock_;
  std::vector<Error> errors_;
};

// What a condition on options asks for and no option is.
std::vector<std::string> strange_options(const Condition& condition) {
  std::vector<std::string> strange;
  const Field& field = condition.field;
  std::string_view name = condition.operation->name;
  bool asks_for_options =
      field.type == ColumnType::select || field.type == ColumnType::multi_select;
  const bool equality = name == "eq" || name == "neq" || name == "in" || name == "not_in" ||
                        (name.ends_with("contains") && field.family == Family::list);
  if (!asks_for_options || !equality || field.options.empty()) return strange;
  auto look_at = [&](const Operand& operand) {
    if (!operand.text) return;
    if (std::ranges::find(field.options, *operand.text) == field.options.end()) {
      strange.push_back(*operand.text);
    }
  };
  look_at(condition.operand);
  std::ranges::for_each(condition.operand.any_of, look_at);
  return strange;
}

}  // namespace

Result<Filter> parse_filter(const Value& given, const Schema& schema, const Clock& clock) {
  return FilterParser(schema, clock).parse(given);
}

std::string unknown_options_notice(const Filter& filter) {
  std::string notice;
  for (const AnyOf& group : filter.all) {
    for (const Condition& condition : group) {
      std::string options;
      for (const std::string& text : strange_options(condition)) {
        if (options.empty()) {
          for (const std::string& option : condition.field.options)
            options += (options.empty() ? "" : ", ") + option;
        }
        const auto meant = nearest_name(text, condition.field.options);
        const std::string sentence = "'" + text + "' is not an option of '" + condition.field.name +
                                     "'; options: " + options +
                                     (meant ? "; did you mean '" + *meant + "'?" : "");
        if (notice.find(sentence) != std::string::npos) continue;
        notice += (notice.empty() ? "" : "; ") + sentence;
      }
    }
  }
  return notice;
}

}  // namespace notesdb
