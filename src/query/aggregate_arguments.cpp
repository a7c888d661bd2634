#include <algorithm>
#include <array>

#include "core/result.h"
#include "query/aggregate.h"
#include "query/argument.h"

namespace notesdb {

namespace {

constexpr std::size_t max_groups = 3;

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (DatePart part :
       {DatePart::day, DatePart::week, DatePart::month, DatePart::quarter, DatePart::year}) {
    names.emplace_back(name_of(part));
  }
  return names;
}

Result<DatePart> get_date_part(const std::string& name) {
  if (std::optional<DatePart> part = parse_date_part(name)) return *part;
  return unknown_name(ErrorCode::invalid_argument, "date part", name, part_names());
}

Result<GroupBy> bind_group(const std::string& field, const std::string& by, const Schema& schema) {
  Result<Field> bound = bind_field(field, schema);
  if (!bound) return bound.error();
  GroupBy group{field, *std::move(bound), std::nullopt};
  if (by.empty()) return group;
  Result<DatePart> part = get_date_part(by);
  if (!part) return part.error();
  bool dates = group.field.family == Family::moment || group.field.family == Family::json;
  if (!dates) {
    return Error{ErrorCode::invalid_argument,
                 "'" + field + "' is " + std::string(kind_of(group.field)) +
                     " and cannot be grouped by " + by + "; only dates can",
                 Map{}}
        .with("field", field);
  }
  group.part = *part;
  group.name += ':' + by;
  return group;
}

// A column whose id holds a colon wins over a date part.
Result<GroupBy> parse_group_text(const std::string& text, const Schema& schema) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || schema.find(text) != nullptr) {
    return bind_group(text, "", schema);
  }
  return bind_group(text.substr(0, colon), text.substr(colon + 1), schema);
}

Result<GroupBy> parse_group(const Value& given, const Schema& schema) {
  if (given.is_text()) return parse_group_text(given.text(), schema);
  const Value* field = given.find("field");
  const Value* by = given.find("by");
  bool has_part = by != nullptr && !is_absent(*by);
  if (field == nullptr || !field->is_text() || (has_part && !by->is_text())) {
    return Error{ErrorCode::invalid_argument,
                 to_display(given) +
                     " is not a group; write \"status\", \"due:month\" or "
                     "{\"field\": \"due\", \"by\": \"month\"}",
                 Map{}};
  }
  for (const Member& member : given.map()) {
    if (member.key == "field" || member.key == "by") continue;
    return unknown_name(ErrorCode::invalid_argument, "group key", member.key, {"field", "by"});
  }
  return bind_group(field->text(), has_part ? by->text() : "", schema);
}

// Reads the arguments one by one and gathers everything that is wrong with them.
class Parser {
 public:
  Parser(const Schema& schema, const Clock& clock) : schema_(schema), clock_(clock) {}

  Result<Aggregate> parse(const AggregateArguments& arguments) {
    keep(parse_filter(arguments.filters, schema_, clock_), aggregate_.filter, errors_);
    parse_groups(arguments.group_by);
    keep(parse_metrics(arguments.metrics, schema_), aggregate_.metrics, errors_);
    if (!is_absent(arguments.limit)) {
      std::uint64_t limit = 0;
      if (keep(parse_count("limit", arguments.limit), limit, errors_)) aggregate_.limit = limit;
    }
    if (errors_.empty()) parse_names();
    if (errors_.empty()) parse_result_sort(arguments.sort);
    if (!errors_.empty()) return join(errors_);
    return std::move(aggregate_);
  }

 private:
  void parse_groups(const Value& given) {
    for (const Value& element : elements_of(given)) {
      GroupBy group;
      if (keep(parse_group(element, schema_), group, errors_)) aggregate_.groups.push_back(group);
    }
    if (elements_of(given).size() > max_groups) {
      errors_.push_back(Error{ErrorCode::invalid_argument,
                              "'group_by' takes at most " + std::to_string(max_groups) +
                                  " fields, not " + std::to_string(elements_of(given).size()),
                              Map{}});
    }
  }

  // Two figures under one name would hide each other.
  void parse_names() {
    for (const GroupBy& group : aggregate_.groups)
      names_.push_back(group.name);
    for (const Metric& metric : aggregate_.metrics)
      names_.push_back(metric.name);
    for (auto name = names_.begin(); name != names_.end(); ++name) {
      if (std::find(names_.begin(), name, *name) == name) continue;
      errors_.push_back(Error{ErrorCode::invalid_argument,
                              "'" + *name +
                                  "' names two parts of the result; give the metric "
                                  "another name with 'as'",
                              Map{}});
    }
  }

  void parse_result_sort(const Value& given) {
    std::vector<SortKeyText> keys;
    const auto is_name = [this](std::string_view name) {
      return std::ranges::find(names_, name) != names_.end();
    };
    keep(parse_sort(given, is_name), keys, errors_);
    for (const SortKeyText& key : keys) {
      if (key.by_options) {
        errors_.push_back(Error{ErrorCode::invalid_argument,
                                "groups cannot be sorted by options, only by their values",
                                Map{}});
        continue;
      }
      auto found = std::ranges::find(names_, key.field);
      if (found == names_.end()) {
        errors_.push_back(unknown_name(ErrorCode::unknown_field, "sort field", key.field, names_));
        continue;
      }
      aggregate_.order.push_back({static_cast<std::size_t>(found - names_.begin()), key.direction});
    }
  }

  const Schema& schema_;
  const Clock& clock_;
  Aggregate aggregate_;
  std::vector<std::string> names_;
  std::vector<Error> errors_;
};

}  // namespace

Result<Aggregate> parse_aggregate(const AggregateArguments& arguments,
                                  const Schema& schema,
                                  const Clock& clock) {
  return Parser(schema, clock).parse(arguments);
}

}  // namespace notesdb
