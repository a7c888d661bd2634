// Result<T>: a T, or the Error that says why there is none.
//
//   Result<Row> row = database.get(id);
//   if (!row) return row.error();
//   use(*row);
//
// Looking at the value of a failed result is a mistake of ours (std::bad_variant_access).
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"

namespace notesdb {

template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return error;` both read well.
  Result(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : data_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return data_.index() == 0; }
  bool ok() const { return data_.index() == 0; }

  T& operator*() & { return std::get<0>(data_); }
  const T& operator*() const& { return std::get<0>(data_); }
  // By value: in `for (x : *make())` a reference would outlive the result that it points into.
  T operator*() && { return std::get<0>(std::move(data_)); }
  T* operator->() { return &std::get<0>(data_); }
  const T* operator->() const { return &std::get<0>(data_); }

  const Error& error() const& { return std::get<1>(data_); }
  Error&& error() && { return std::get<1>(std::move(data_)); }

 private:
  std::variant<T, Error> data_;
};

// Done, or the Error that says why not.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  explicit operator bool() const { return !failed_; }
  bool ok() const { return !failed_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

// For readers that say all that is wrong at once:
//
//   keep(parse_filter(given, schema, clock), query.filter, errors);
//   keep(parse_order(given, schema), query.order, errors);
//   if (!errors.empty()) return join(errors);
//
// Puts what was made into its place, or its error among the others; says whether it was made. An
// error of several, as join() makes it, is one complaint here too.
template <typename T>
bool keep(Result<T> result, T& place, std::vector<Error>& errors) {
  if (!result) {
    errors.push_back(result.error());
    return false;
  }
  place = *std::move(result);
  return true;
}

}  // namespace notesdb
