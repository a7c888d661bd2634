#include "core/issue.h"

namespace notesdb {

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
