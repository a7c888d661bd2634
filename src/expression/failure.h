// Failure: why an expression has no value, on its way from a function to evaluate().
//
// It never leaves this module: Evaluation turns it into the Error of a Result. An expression goes
// down through dozens of functions that can all fail; as a Result at each of them the reason would
// hide the work.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/error.h"

namespace notesdb::expression {

class Failure : public std::exception {
 public:
  explicit Failure(std::string message, ErrorCode code = ErrorCode::invalid_value)
      : error_{.code = code, .message = std::move(message)} {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace notesdb::expression
