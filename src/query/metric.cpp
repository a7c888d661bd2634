#include "query/metric.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/budget.h"
#include "query/argument.h"

namespace notesdb {

namespace {

// A value, its rank, and its place among those that are known.
constexpr std::size_t bytes_of_element = sizeof(Value) + sizeof(Rank) + 64;

}  // namespace

Elements::Elements(const Table& table, const Field& field, std::optional<DatePart> part)
    : field_(field), source_(table, field), part_(part) {
  if (source_.coded()) of_codes_.resize(source_.value_count() + std::size_t{1});
  take_one(Value());
  pool_.clear();
}

void Elements::take_one(const Value& value) {
  Budget::look_rarely(taken_);
  Value element = value;
  std::optional<Timestamp> moment;
  if (part_ && value.is_text()) moment = parse_moment(value.text());
  if (moment) element = period_of(*moment, *part_);
  auto [place, added] =
      known_.try_emplace(rank_of(element, field_), static_cast<std::uint32_t>(values_.size()));
  std::uint32_t number = place->second;
  if (added) {
    Budget::take(place->first.text.size() * 2 + bytes_of_element);
    ranks_.push_back(&place->first);
    values_.push_back(std::move(element));
  } else if (values_[number] != element && to_display(element) < to_display(values_[number])) {
    values_[number] = std::move(element);
  }
  pool_.push_back(number);
}

Elements::Slice Elements::take(const Value& value) {
  if (value.is_list()) Budget::take(value.list().size() * sizeof(std::uint32_t));
  Slice slice{static_cast<std::uint32_t>(pool_.size()), 0};
  if (!value.is_list()) {
    take_one(value);
  } else {
    for (const Value& item : value.list())
      take_one(item);
    if (value.list().empty()) take_one(Value());
  }
  slice.count = static_cast<std::uint32_t>(pool_.size()) - slice.first;
  return slice;
}

std::span<const std::uint32_t> Elements::of_uncoded_row(std::uint32_t row) {
  Budget::look();
  Result<Value> value = source_.of_row(row);
  if (!value) error_ = value.error();
  pool_.clear();
  return numbers(take(value ? *value : Value()));
}

namespace {

struct FunctionEntry {
  std::string_view name;
  Function function;
};

constexpr std::array functions{
    FunctionEntry{"count", Function::count},
    FunctionEntry{"count_distinct", Function::count_distinct},
    FunctionEntry{"sum", Function::sum},
    FunctionEntry{"avg", Function::avg},
    FunctionEntry{"min", Function::min},
    FunctionEntry{"max", Function::max},
};

Result<Function> parse_function(std::string_view name) {
  const auto* found = std::ranges::find(functions, name, &FunctionEntry::name);
  if (found != functions.end()) return found->function;
  std::vector<std::string> names;
  for (const FunctionEntry& entry : functions)
    names.emplace_back(entry.name);
  return unknown_name(ErrorCode::invalid_argument, "function", name, names);
}

// "sum:estimate" and "count" as the map that they are short for.
Value spelled_out(const Value& given) {
  if (!given.is_text()) return given;
  Value metric = Map{};
  std::size_t colon = given.text().find(':');
  metric.set("function", given.text().substr(0, colon));
  if (colon != std::string::npos) metric.set("field", given.text().substr(colon + 1));
  return metric;
}

const std::string* text_under(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value != nullptr && value->is_text() ? &value->text() : nullptr;
}

bool adds(Function function) {
  return function == Function::sum || function == Function::avg;
}

std::optional<Error> check_field(const Metric& metric) {
  std::string function(name_of(metric.function));
  if (!metric.field) {
    if (metric.function == Function::count) return std::nullopt;
    return Error{ErrorCode::invalid_argument, "function '" + function + "' needs a 'field'", Map{}};
  }
  Family family = metric.field->family;
  bool numbers = family == Family::number || family == Family::json;
  if (!adds(metric.function) || numbers) return std::nullopt;
  return Error{ErrorCode::invalid_argument,
               "function '" + function + "' adds numbers, and '" + metric.field->name + "' is " +
                   std::string(kind_of(*metric.field)),
               Map{}}
      .with("field", metric.field->name)
      .with("choices", List{"count", "count_distinct", "min", "max"});
}

std::string default_name(const Metric& metric) {
  std::string name(name_of(metric.function));
  return metric.field ? name + '_' + metric.field->name : name;
}

Error unknown_key(const std::string& key, const std::vector<std::string>& keys) {
  Error error = unknown_name(ErrorCode::invalid_argument, "metric key", key, keys);
  if (error.data.find("nearest") == nullptr)
    error.message += R"(; a metric is {"function": "sum", "field": ...})";
  return error;
}

// Reads one metric; what is wrong with it goes to `errors`.
Metric parse_metric(const Value& given, const Schema& schema, std::vector<Error>& errors) {
  Metric metric;
  Value map = spelled_out(given);
  const std::string* function = text_under(map, "function");
  const std::vector<std::string> keys{"function", "field", "as"};
  if (function == nullptr && map.is_map() && map.find("function") == nullptr) {
    // A key with another name is what is missing.
    const std::size_t before = errors.size();
    for (const Member& member : map.map()) {
      if (std::ranges::find(keys, member.key) == keys.end())
        errors.push_back(unknown_key(member.key, keys));
    }
    if (errors.size() > before) return metric;
  }
  if (function == nullptr) {
    errors.push_back(Error{ErrorCode::invalid_argument,
                           "metric " + to_display(given) +
                               " has no 'function'; a metric is {\"function\": \"sum\", \"field\": "
                               "\"estimate\", \"as\": \"effort\"}",
                           Map{}});
    return metric;
  }
  for (const Member& member : map.map()) {
    bool known = std::ranges::find(keys, member.key) != keys.end();
    if (!known) {
      errors.push_back(unknown_key(member.key, keys));
    } else if (!member.value.is_text() && !member.value.is_null()) {
      errors.push_back(
          Error{ErrorCode::invalid_argument,
                "'" + member.key + "' of a metric must be text, not " + to_display(member.value),
                Map{}});
    }
  }
  std::size_t before = errors.size();
  if (Result<Function> parsed = parse_function(*function)) {
    metric.function = *parsed;
  } else {
    errors.push_back(parsed.error());
  }
  if (const std::string* field = text_under(map, "field"); field != nullptr && !field->empty()) {
    if (Result<Field> bound = bind_field(*field, schema)) {
      metric.field = *std::move(bound);
    } else {
      errors.push_back(bound.error());
    }
  }
  if (errors.size() == before) {
    if (std::optional<Error> error = check_field(metric)) errors.push_back(*std::move(error));
  }
  const std::string* as = text_under(map, "as");
  metric.name = as != nullptr && !as->empty() ? *as : default_name(metric);
  return metric;
}

}  // namespace

std::string_view name_of(Function function) {
  return std::ranges::find(functions, function, &FunctionEntry::function)->name;
}

Result<std::vector<Metric>> parse_metrics(const Value& given, const Schema& schema) {
  std::vector<Metric> metrics;
  std::vector<Error> errors;
  for (const Value& element : elements_of(given))
    metrics.push_back(parse_metric(element, schema, errors));
  if (!errors.empty()) return join(errors);
  if (metrics.empty()) metrics.push_back({"count", Function::count, std::nullopt});
  return metrics;
}

void ExactSum::add_real(double real) {
  double sum = real_ + real;
  bool larger = std::abs(real_) >= std::abs(real);
  double lost = larger ? (real_ - sum) + real : (real - sum) + real_;
  if (std::isfinite(sum)) compensation_ += lost;
  real_ = sum;
}

void ExactSum::add(const Number& number) {
  if (!number.is_whole()) {
    only_whole_ = false;
    add_real(number.approximate());
    return;
  }
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(whole_, number.whole(), &sum)) {
    whole_ = sum;
    return;
  }
  rounded_ = true;
  add_real(static_cast<double>(whole_));
  whole_ = number.whole();
}

double ExactSum::approximate() const {
  if (real_ == 0 && compensation_ == 0) return static_cast<double>(whole_);
  ExactSum all = *this;
  all.add_real(static_cast<double>(whole_));
  return all.real_ + all.compensation_;
}

Value ExactSum::value() const {
  if (only_whole_ && !rounded_) return whole_;
  return approximate();
}

Tally::Tally(const Table& table, const Metric& metric) : function_(metric.function) {
  if (!metric.field) return;
  elements_.emplace(table, *metric.field);
  if (metric.field->family == Family::number) ordered_as_ = Rank::Kind::number;
  if (metric.field->family == Family::moment) ordered_as_ = Rank::Kind::moment;
}

Tally::State& Tally::at(std::uint32_t group) {
  if (group >= states_.size()) states_.resize(group + std::size_t{1});
  return states_[group];
}

void Tally::add(std::uint32_t group, std::uint32_t row) {
  State& state = at(group);
  if (!elements_) {
    ++state.count;
    return;
  }
  std::span<const std::uint32_t> numbers = elements_->of_row(row);
  if (function_ == Function::count) {
    bool any = std::ranges::any_of(
        numbers, [&](std::uint32_t number) { return !is_empty(elements_->value(number)); });
    state.count += any ? 1 : 0;
    return;
  }
  for (std::uint32_t number : numbers) {
    if (number != 0) add_element(group, number);
  }
}

void Tally::add_element(std::uint32_t group, std::uint32_t number) {
  State& state = states_[group];
  const Rank& rank = elements_->rank(number);
  switch (function_) {
    case Function::count: break;
    case Function::count_distinct:
      if (!is_empty(elements_->value(number))) {
        Budget::take(sizeof seen_.front());
        seen_.push_back((std::uint64_t{group} << 32U) | number);
      }
      break;
    case Function::sum:
    case Function::avg:
      if (rank.kind != Rank::Kind::number) break;
      ++state.count;
      state.sum.add(rank.number);
      break;
    case Function::min:
    case Function::max:
      // What does not fit its column has no place in the column's order.
      if (ordered_as_ && rank.kind != *ordered_as_) break;
      if (state.best == 0 || is_better(number, state.best)) state.best = number;
      break;
  }
}

bool Tally::is_better(std::uint32_t number, std::uint32_t best) const {
  int order = compare(elements_->rank(number), elements_->rank(best));
  return function_ == Function::min ? order < 0 : order > 0;
}

void Tally::count_distinct() {
  Budget::look();
  std::ranges::sort(seen_);
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
  for (std::uint64_t pair : seen_)
    ++states_[pair >> 32U].count;
}

Value Tally::figure(const State& state) const {
  switch (function_) {
    case Function::count:
    case Function::count_distinct: return static_cast<std::int64_t>(state.count);
    case Function::sum: return state.count == 0 ? Value() : state.sum.value();
    case Function::avg:
      return state.count == 0 ? Value()
                              : Value(state.sum.approximate() / static_cast<double>(state.count));
    case Function::min:
    case Function::max: return state.best == 0 ? Value() : elements_->value(state.best);
  }
  return {};
}

std::vector<Value> Tally::finish(std::uint32_t groups) {
  states_.resize(groups);
  if (function_ == Function::count_distinct) count_distinct();
  std::vector<Value> figures;
  figures.reserve(groups);
  for (const State& state : states_)
    figures.push_back(figure(state));
  return figures;
}

bool Tally::rounded() const {
  return function_ == Function::sum &&
         std::ranges::any_of(states_, [](const State& state) { return state.sum.rounded(); });
}

}  // namespace notesdb
