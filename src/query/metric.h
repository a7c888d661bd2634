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
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "core/schema.h"
#include "query/comparison.h"
#include "query/field.h"

namespace notesdb {

// Elements: what the rows of a table have in a field, each distinct value once, under a number.
//
// A list has each of its elements, a scalar itself, a missing field or an empty list only number
// 0, which is null. Values that compare the same share a number (1 and 1.0, two spellings of one
// moment) and are shown in the spelling that comes first by its text.

class Elements {
 public:
  // With a date part, dates become the periods they lie in; what is not a date stays as it is.
  Elements(const Table& table, const Field& field, std::optional<DatePart> part = std::nullopt);

  // At least one number. The span is good until the next call. A body that cannot be read counts
  // as missing and is told by error().
  std::span<const std::uint32_t> of_row(std::uint32_t row) {
    return source_.coded() ? of_code(source_.codes()[row]) : of_uncoded_row(row);
  }
  // The same for every row that has this code; only where the field is coded.
  std::span<const std::uint32_t> of_code(std::uint32_t code) {
    Slice& slice = of_codes_[code];
    if (slice.count == 0) [[unlikely]]
      slice = take(source_.of_code(code));
    return numbers(slice);
  }
  const std::optional<Error>& error() const { return error_; }

  const Value& value(std::uint32_t number) const { return values_[number]; }
  const Rank& rank(std::uint32_t number) const { return *ranks_[number]; }

  const FieldValues& source() const { return source_; }

 private:
  struct Slice {
    std::uint32_t first = 0;
    std::uint32_t count = 0;  // 0: not looked at yet
  };

  std::span<const std::uint32_t> of_uncoded_row(std::uint32_t row);
  Slice take(const Value& value);
  void take_one(const Value& value);
  std::span<const std::uint32_t> numbers(Slice slice) const {
    return std::span(pool_).subspan(slice.first, slice.count);
  }

  Field field_;
  FieldValues source_;
  std::optional<DatePart> part_;
  std::map<Rank, std::uint32_t> known_;
  std::vector<const Rank*> ranks_;
  std::vector<Value> values_;
  std::vector<Slice> of_codes_;
  std::vector<std::uint32_t> pool_;
  std::uint32_t taken_ = 0;
  std::optional<Error> error_;
};

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
