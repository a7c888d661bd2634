#include "files/failure.h"

#include <cctype>
#include <cerrno>
#include <cstring>

#include "core/text.h"

namespace notesdb {

std::string errno_words(int error) {
  char buffer[128] = {};
  std::string words = ::strerror_r(error, static_cast<char*>(buffer), sizeof buffer);
  if (words.size() > 1 && std::islower(static_cast<unsigned char>(words[1])) != 0) {
    words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
  }
  return words;
}

std::string quoted(std::string_view path) {
  return "'" + escape_controls(path) + "'";
}

Error failure(int error, std::string_view verb, std::string_view path) {
  const std::string shown = quoted(path);
  switch (error) {
    case ENOENT:
    case ENOTDIR: return Error{ErrorCode::unknown_row, "there is no file " + shown};
    case ELOOP:
      return Error{ErrorCode::path_not_allowed,
                   shown + " is or passes a symbolic link, which is never followed"};
    case EXDEV:
      return Error{ErrorCode::path_not_allowed, shown + " does not stay below the workspace"};
    case ENAMETOOLONG: return Error{ErrorCode::path_not_allowed, shown + " is too long a name"};
    case EISDIR: return Error{ErrorCode::path_not_allowed, shown + " is a folder, not a file"};
    case ENXIO:  // a socket or a pipe without a reader
      return Error{ErrorCode::path_not_allowed, shown + " is not a regular file"};
    case EEXIST: return Error{ErrorCode::already_exists, shown + " exists already"};
    default:
      return Error{ErrorCode::io_error,
                   "cannot " + std::string(verb) + " " + shown + ": " + errno_words(error)};
  }
}

Error conflict(std::string_view path, const Etag* now) {
  if (now == nullptr) {
    return Error{
        ErrorCode::conflict,
        "CONFLICT: " + quoted(path) + " was removed since it was read; nothing was changed"}
        .with("path", path);
  }
  return Error{ErrorCode::conflict,
               "CONFLICT: " + quoted(path) +
                   " has changed since it was read; read it again and repeat the change"}
      .with("path", path)
      .with("etag", to_text(*now));
}

Error busy(std::string message) {
  return Error{ErrorCode::busy, std::move(message)};
}

namespace {

constexpr std::string_view key = "warnings";

std::vector<std::string> warnings_of(const Error& error) {
  std::vector<std::string> warnings;
  const Value* listed = error.data.find(key);
  if (listed == nullptr) return warnings;
  for (const Value& warning : listed->list())
    warnings.push_back(warning.text());
  return warnings;
}

}  // namespace

Error with_warnings(Error error, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return error;
  std::vector<std::string> all = warnings_of(error);
  for (const std::string& warning : warnings) {
    error.message += "; " + warning;
    all.push_back(warning);
  }
  return std::move(error).with(key, Value::list_of(all));
}

void UntoldWarnings::keep(const Error& error) {
  for (std::string& warning : warnings_of(error))
    warnings_.push_back(std::move(warning));
}

}  // namespace notesdb
