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

namespace {

// Of a text that a caller gave, as much as tells which one it was.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t most = 80;
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string with_choices(std::string message, const Value& facts) {
  constexpr std::size_t max_named = 30;
  const Value* choices = facts.find("choices");
  if (choices == nullptr || !choices->is_list()) return message;
  const List& names = choices->list();
  for (std::size_t i = 0; i < names.size() && i < max_named; ++i) {
    const bool asks = message.ends_with('?');
    message += i > 0 ? ", " : asks ? " valid: " : "; valid: ";
    message += names[i].is_text() ? names[i].text() : to_display(names[i]);
  }
  if (names.size() > max_named)
    message += ", and " + std::to_string(names.size() - max_named) + " more";
  return message;
}

}  // namespace

Error unknown_name(ErrorCode code,
                   std::string_view what,
                   std::string_view given,
                   const std::vector<std::string>& choices) {
  std::string message = "unknown " + std::string(what) + " '" + beginning_of(given) + "'";
  std::optional<std::string> nearest = nearest_name(given, choices);
  if (nearest) message += "; did you mean '" + *nearest + "'?";
  Error error{code, std::move(message), Map{}};
  error.data.set("choices", Value::list_of(choices));
  if (nearest) error.data.set("nearest", *nearest);
  return error;
}

std::string full_message(const Error& error) {
  const Value* errors = error.data.find("errors");
  if (errors == nullptr || !errors->is_list()) return with_choices(error.message, error.data);
  std::string lines;
  std::string joined;
  for (const Value& one : errors->list()) {
    const Value* message = one.find("message");
    if (message == nullptr || !message->is_text()) return error.message;
    lines += (lines.empty() ? "" : "\n") + with_choices(message->text(), one);
    joined += (joined.empty() ? "" : "; ") + message->text();
  }
  return joined == error.message ? lines : error.message;  // where more was said before all of them
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

std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::string to_text(const Issue& issue) {
  std::string place = issue.path;
  if (issue.line > 0) place += ":" + std::to_string(issue.line);
  if (issue.column > 0) place += ":" + std::to_string(issue.column);
  return place + ": " + std::string(name_of(issue.severity)) + ": " + issue.message + " [" +
         issue.rule + "]";
}

}  // namespace notesdb
