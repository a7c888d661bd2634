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

}  // namespace notesdb
