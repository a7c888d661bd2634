#include "query/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace notesdb {

namespace {

template <typename T>
int order_of(const T& a, const T& b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

// Whole against real without rounding the whole: the reals beyond 64 bits are decided by their
// size, and the part after the point only matters where the whole parts are equal.
int compare_whole_to_real(std::int64_t whole, double real) {
  constexpr double limit = 9223372036854775808.0;
  if (std::isnan(real)) return 1;
  if (real >= limit) return -1;
  if (real < -limit) return 1;
  double floor = std::floor(real);
  int order = order_of(whole, static_cast<std::int64_t>(floor));
  return order == 0 && real > floor ? -1 : order;
}

int compare_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<int>(std::isnan(b)) - static_cast<int>(std::isnan(a));
  }
  return order_of(a, b);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<Number> Number::parse(std::string_view text) {
  std::string_view unsigned_text = text;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (unsigned_text.starts_with('+') || unsigned_text.starts_with('-')) {
    unsigned_text.remove_prefix(1);
  }
  // Keeps inf, nan and a second sign out.
  if (unsigned_text.find_first_not_of("0123456789.eE+-") != std::string_view::npos ||
      unsigned_text.starts_with('+') || unsigned_text.starts_with('-')) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  auto read = std::from_chars(text.data(), end, whole);
  if (read.ec == std::errc() && read.ptr == end) return Number(whole);
  if (all_digits(unsigned_text)) {
    Number beyond;
    beyond.kind_ = Kind::beyond;
    beyond.negative_ = text.starts_with('-');
    beyond.digits_ = unsigned_text.substr(unsigned_text.find_first_not_of('0'));
    return beyond;
  }
  double real = 0;
  auto read_real = std::from_chars(text.data(), end, real);
  if (read_real.ec != std::errc() || read_real.ptr != end) return std::nullopt;
  return Number(real);
}

std::optional<Number> Number::of(const Value& value) {
  if (value.is_integer()) return Number(value.integer());
  if (value.is_real()) return Number(value.real());
  if (value.is_text()) return parse(value.text());
  return std::nullopt;
}

double Number::approximate() const {
  if (kind_ == Kind::real) return real_;
  if (kind_ == Kind::whole) return static_cast<double>(whole_);
  double real = HUGE_VAL;  // what from_chars leaves where the digits are too many
  std::from_chars(digits_.data(), digits_.data() + digits_.size(), real);
  return negative_ ? -real : real;
}

int Number::compare_beyond(const Number& other) const {
  // Whatever has 64 bits lies between the whole numbers that have more.
  if (other.kind_ == Kind::whole) return negative_ ? -1 : 1;
  if (other.kind_ == Kind::real) return compare_reals(approximate(), other.real_);
  if (negative_ != other.negative_) return negative_ ? -1 : 1;
  int order = digits_.size() != other.digits_.size()
                  ? order_of(digits_.size(), other.digits_.size())
                  : order_of(digits_, other.digits_);
  return negative_ ? -order : order;
}

int compare(const Number& a, const Number& b) {
  using Kind = Number::Kind;
  if (a.kind_ == Kind::beyond) return a.compare_beyond(b);
  if (b.kind_ == Kind::beyond) return -b.compare_beyond(a);
  if (a.is_whole() && b.is_whole()) return order_of(a.whole_, b.whole_);
  if (a.is_whole()) return compare_whole_to_real(a.whole_, b.real_);
  if (b.is_whole()) return -compare_whole_to_real(b.whole_, a.real_);
  return compare_reals(a.real_, b.real_);
}

}  // namespace notesdb
