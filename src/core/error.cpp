#include "core/error.h"

#include <utility>

#include "core/text.h"

namespace notesdb {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::unknown_database: return "unknown_database";
    case ErrorCode::unknown_row: return "unknown_row";
    case ErrorCode::unknown_field: return "unknown_field";
    case ErrorCode::unknown_operator: return "unknown_operator";
    case ErrorCode::invalid_value: return "invalid_value";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::already_exists: return "already_exists";
    case ErrorCode::read_only: return "read_only";
    case ErrorCode::malformed_file: return "malformed_file";
    case ErrorCode::path_not_allowed: return "path_not_allowed";
    case ErrorCode::limit_exceeded: return "limit_exceeded";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::busy: return "busy";
    case ErrorCode::io_error: return "io_error";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

Error Error::with(std::string_view key, Value value) && {
  data.set(key, std::move(value));
  return std::move(*this);
}

Error unknown_name(ErrorCode code,
                   std::string_view what,
                   std::string_view given,
                   const std::vector<std::string>& choices) {
  constexpr std::size_t most_named = 30;
  std::string message = "unknown " + std::string(what) + " '" + std::string(given) + "'";
  for (std::size_t i = 0; i < choices.size() && i < most_named; ++i) {
    message += (i == 0 ? "; valid: " : ", ") + choices[i];
  }
  if (choices.size() > most_named) {
    message += ", and " + std::to_string(choices.size() - most_named) + " more";
  }
  std::optional<std::string> nearest = nearest_name(given, choices);
  if (nearest) message += ". Did you mean '" + *nearest + "'?";
  Error error{code, std::move(message), Map{}};
  error.data.set("choices", Value::list_of(choices));
  if (nearest) error.data.set("nearest", *nearest);
  return error;
}

Error join(const std::vector<Error>& errors) {
  if (errors.size() == 1) return errors.front();
  Error joined{errors.front().code, "", errors.front().data};
  List all;
  for (const Error& error : errors) {
    joined.message += (joined.message.empty() ? "" : "; ") + error.message;
    Value entry = Map{};
    entry.set("code", name_of(error.code));
    entry.set("message", error.message);
    for (const Member& fact : error.data.map())
      entry.set(fact.key, fact.value);
    all.push_back(std::move(entry));
  }
  joined.data.set("errors", std::move(all));
  return joined;
}

}  // namespace notesdb
