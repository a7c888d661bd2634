// Error: why a call failed, for a person, a program and a model at once. Issue: something wrong in
// the data, which is part of an answer and fails no call.
//
//   code     what kind of failure, one word of a closed list
//   message  one sentence: what, why, what would be right; no absolute path, no row's text
//   data     facts beside it that a program can use: valid choices, nearest name, current etag
#pragma once

#include <cstdint>
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
// a person is shown both (full_message), a program has no use for a list said twice.
Error unknown_name(ErrorCode code,
                   std::string_view what,
                   std::string_view given,
                   const std::vector<std::string>& choices);

// Several errors of one call said at once: the first one's code, all messages, `errors` in the
// data.
Error join(const std::vector<Error>& errors);

// What a person is told of an error: the message, and after it the valid choices that stand among
// its facts. Each error of a joined one has a line of its own.
std::string full_message(const Error& error);

enum class Severity { error, warning };

std::string_view name_of(Severity severity);

// Something wrong at a place a person can go to: one broken note never fails its database.
//
//   stories/row-004.md:7:10: error: 'doing' is not an option of status; options: open, done
//   [option]
struct Issue {
  std::string path;          // from the workspace root, with '/'
  std::uint32_t line = 0;    // of the file, from 1; 0: the file as a whole
  std::uint32_t column = 0;  // in bytes, from 1; 0: the line as a whole
  Severity severity = Severity::error;
  std::string rule;     // one word: yaml, type, option, required, unique, range, pattern, ...
  std::string message;  // one sentence: what is wrong and what would be right
  std::string field;    // the column or key it is about; empty if none

  friend bool operator==(const Issue& a, const Issue& b) = default;
};

// path:line:column: severity: message [rule]
std::string to_text(const Issue& issue);

}  // namespace notesdb
