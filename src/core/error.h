// Error: why a call failed, for a person, a program and a model at once.
//
//   code     what kind of failure, one word of a closed list
//   message  one sentence: what, why, what would be right; no absolute path, no row's text
//   data     facts beside it that a program can use: valid choices, nearest name, current etag
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace notesdb {

enum class ErrorCode {
  invalid_argument,
  unknown_database,
  unknown_row,
  unknown_field,
  unknown_operator,
  invalid_value,
  conflict,
  already_exists,
  read_only,
  malformed_file,
  path_not_allowed,
  limit_exceeded,
  cancelled,
  busy,
  io_error,
  internal,
};

std::string_view name_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  Value data = Map{};

  // The same error with one more fact beside it.
  Error with(std::string_view key, Value value) &&;
};

// "unknown <what> 'given'; did you mean 'a'?", with the facts `choices` and `nearest` beside it:
// a person is shown both (core/full_message.h), a program has no use for a list said twice.
Error unknown_name(ErrorCode code,
                   std::string_view what,
                   std::string_view given,
                   const std::vector<std::string>& choices);

// Several errors of one call said at once: the first one's code, all messages, `errors` in the
// data.
Error join(const std::vector<Error>& errors);

}  // namespace notesdb
