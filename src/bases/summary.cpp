#include "bases/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/text.h"

namespace notesdb::bases {

using expression::Date;
using expression::Duration;
using expression::Kind;
using expression::Value;

namespace {

using Values = std::vector<Value>;
using Summarize = Value (*)(const Values& values, expression::Evaluation& evaluation);

std::vector<double> numbers_of(const Values& values) {
  std::vector<double> numbers;
  for (const Value& value : values)
    if (value.is(Kind::number) && !std::isnan(value.number())) numbers.push_back(value.number());
  return numbers;
}

std::vector<Date> dates_of(const Values& values) {
  std::vector<Date> dates;
  for (const Value& value : values)
    if (value.is(Kind::date)) dates.push_back(value.date());
  std::ranges::sort(dates, {}, &Date::milliseconds);
  return dates;
}

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

double mean_of(const std::vector<double>& numbers) {
  return sum_of(numbers) / static_cast<double>(numbers.size());
}

// A summary of numbers, which has no value where there are none.
template <double (*summarize)(const std::vector<double>&)>
Value of_numbers(const Values& values, expression::Evaluation& /*evaluation*/) {
  const std::vector<double> numbers = numbers_of(values);
  return numbers.empty() ? Value() : Value(summarize(numbers));
}

double min_of(const std::vector<double>& numbers) {
  return *std::ranges::min_element(numbers);
}
double max_of(const std::vector<double>& numbers) {
  return *std::ranges::max_element(numbers);
}

double median_of(const std::vector<double>& given) {
  std::vector<double> numbers = given;
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

// Of the whole population.
double deviation_of(const std::vector<double>& numbers) {
  const double mean = mean_of(numbers);
  double squares = 0;
  for (const double number : numbers)
    squares += (number - mean) * (number - mean);
  return std::sqrt(squares / static_cast<double>(numbers.size()));
}

Value range_of(const Values& values, expression::Evaluation& /*evaluation*/) {
  const std::vector<Date> dates = dates_of(values);
  if (!dates.empty())
    return Duration{.milliseconds = static_cast<double>(dates.back().milliseconds -
                                                        dates.front().milliseconds)};
  const std::vector<double> numbers = numbers_of(values);
  return numbers.empty() ? Value() : Value(max_of(numbers) - min_of(numbers));
}

Value earliest(const Values& values, expression::Evaluation& /*evaluation*/) {
  const std::vector<Date> dates = dates_of(values);
  return dates.empty() ? Value() : Value(dates.front());
}

Value latest(const Values& values, expression::Evaluation& /*evaluation*/) {
  const std::vector<Date> dates = dates_of(values);
  return dates.empty() ? Value() : Value(dates.back());
}

template <bool (*counts)(const Value&)>
Value count_of(const Values& values, expression::Evaluation& /*evaluation*/) {
  return static_cast<double>(std::ranges::count_if(values, counts));
}

bool is_checked(const Value& value) {
  return value.is(Kind::boolean) && value.boolean();
}
bool is_unchecked(const Value& value) {
  return value.is(Kind::boolean) && !value.boolean();
}
bool is_filled(const Value& value) {
  return !expression::is_empty(value);
}

Value unique_count(const Values& values, expression::Evaluation& evaluation) {
  std::vector<std::string> texts;
  for (const Value& value : values)
    if (const auto answer = evaluation.answer_of(value); is_filled(value) && answer)
      texts.push_back(std::string(name_of(value.kind())) + to_display(*answer));
  std::ranges::sort(texts);
  const auto repeated = std::ranges::unique(texts);
  return static_cast<double>(texts.size() - repeated.size());
}

struct Summary {
  std::string_view name;
  Summarize summarize;
};

constexpr std::array<Summary, 14> summaries{{
    {"Average", of_numbers<mean_of>},
    {"Min", of_numbers<min_of>},
    {"Max", of_numbers<max_of>},
    {"Sum", of_numbers<sum_of>},
    {"Range", range_of},
    {"Median", of_numbers<median_of>},
    {"Stddev", of_numbers<deviation_of>},
    {"Earliest", earliest},
    {"Latest", latest},
    {"Checked", count_of<is_checked>},
    {"Unchecked", count_of<is_unchecked>},
    {"Empty", count_of<expression::is_empty>},
    {"Filled", count_of<is_filled>},
    {"Unique", unique_count},
}};

}  // namespace

std::vector<std::string> summary_names() {
  std::vector<std::string> names;
  for (const Summary& summary : summaries)
    names.emplace_back(summary.name);
  return names;
}

std::optional<Value> summarized(std::string_view name,
                                const Values& values,
                                expression::Evaluation& evaluation) {
  const std::string folded = fold_case(name);
  for (const Summary& summary : summaries)
    if (fold_case(summary.name) == folded) return summary.summarize(values, evaluation);
  return std::nullopt;
}

}  // namespace notesdb::bases
