// Number: a number as it is compared and added: exactly.
//
// Whole numbers of 64 bits stay whole, and whole numbers beyond them, which are text in a Value,
// are compared digit by digit. Nothing is rounded on the way to a comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/value.h"

namespace notesdb {

class Number {
 public:
  explicit Number(std::int64_t whole = 0) : whole_(whole) {}
  explicit Number(double real) : kind_(Kind::real), real_(real) {}

  // "7", "-1.5", "6e3", a whole number of any length; nothing before or after it.
  static std::optional<Number> parse(std::string_view text);
  // The number a value is, or the number its text spells.
  static std::optional<Number> of(const Value& value);

  bool is_whole() const { return kind_ == Kind::whole; }
  std::int64_t whole() const { return whole_; }
  bool is_nan() const { return kind_ == Kind::real && real_ != real_; }
  // The nearest double.
  double approximate() const;

  // Negative, 0 or positive. NaN comes before every other number and equals itself.
  friend int compare(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return compare(a, b) == 0; }

 private:
  enum class Kind { whole, real, beyond };

  int compare_beyond(const Number& other) const;

  Kind kind_ = Kind::whole;
  std::int64_t whole_ = 0;
  double real_ = 0;
  std::string digits_;  // of a whole number beyond 64 bits, without sign and leading zeros
  bool negative_ = false;
};

}  // namespace notesdb
