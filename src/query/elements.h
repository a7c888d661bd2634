// Elements: what the rows of a table have in a field, each distinct value once, under a number.
//
// A list has each of its elements, a scalar itself, a missing field or an empty list only number
// 0, which is null. Values that compare the same share a number (1 and 1.0, two spellings of one
// moment) and are shown in the spelling that comes first by its text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "query/comparison.h"
#include "query/field.h"

namespace notesdb {

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

}  // namespace notesdb
