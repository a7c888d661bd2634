// Issue: something wrong in the data, at a place a person can go to.
//
//   stories/row-004.md:7:10: error: 'doing' is not an option of status; options: open, done
//   [option]
//
// Issues are part of an answer, never a failed call: one broken note never fails its database.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

enum class Severity { error, warning };

std::string_view name_of(Severity severity);

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
