// Metric: one figure about a group of rows.
//
//   {"function": "sum", "field": "estimate", "as": "effort"}   {"function": "count"} "sum:estimate"
//
//   count           rows; with a field, rows where it is not empty
//   count_distinct  different values that are not empty, each element of a list
//   sum avg         of the numbers; null where there are none
//   min max         the first and last value in sort order; null where there are none
//
// Sums of whole numbers are exact; one beyond 64 bits becomes the nearest double and is reported.
// Values that do not fit their column are counted, never added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "query/elements.h"
#include "query/field.h"

namespace notesdb {

enum class Function { count, count_distinct, sum, avg, min, max };

std::string_view name_of(Function function);

struct Metric {
  std::string name;  // `as`, else function or function_field
  Function function = Function::count;
  std::optional<Field> field;
};

// Null and blank text are one count. Fails with all that is wrong at once.
Result<std::vector<Metric>> parse_metrics(const Value& given, const Schema& schema);

// ExactSum: adds numbers without rounding as long as they are whole and fit in 64 bits, and
// nearly without (Neumaier) otherwise.
class ExactSum {
 public:
  void add(const Number& number);
  bool rounded() const { return rounded_; }
  // An integer if all were whole, else a real.
  Value value() const;
  double approximate() const;

 private:
  void add_real(double real);

  std::int64_t whole_ = 0;
  double real_ = 0;
  double compensation_ = 0;
  bool only_whole_ = true;
  bool rounded_ = false;
};

// Tally: a metric over all groups, numbered from 0, fed row by row.
class Tally {
 public:
  Tally(const Table& table, const Metric& metric);

  void add(std::uint32_t group, std::uint32_t row);
  // Rows that nothing needs to be known about.
  void add_rows(std::uint32_t group, std::uint64_t rows) { at(group).count += rows; }
  bool counts_rows() const { return !elements_.has_value(); }

  // Why a row could not be looked at, if one could not.
  std::optional<Error> error() const { return elements_ ? elements_->error() : std::nullopt; }

  // Call once, when all rows are in.
  std::vector<Value> finish(std::uint32_t groups);
  bool rounded() const;

 private:
  struct State {
    std::uint64_t count = 0;
    ExactSum sum;
    std::uint32_t best = 0;  // 0: none yet
  };

  State& at(std::uint32_t group);
  void add_element(std::uint32_t group, std::uint32_t number);
  bool is_better(std::uint32_t number, std::uint32_t best) const;
  void count_distinct();
  Value figure(const State& state) const;

  Function function_;
  std::optional<Elements> elements_;
  std::optional<Rank::Kind> ordered_as_;  // of numbers and dates
  std::vector<State> states_;
  std::vector<std::uint64_t> seen_;  // group and number, for count_distinct
};

}  // namespace notesdb
