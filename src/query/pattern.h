// Pattern: a regular expression (RE2 syntax) that never takes more than linear time.
//
// It is found anywhere in a text unless it says ^ and $; upper and lower case differ unless it
// says (?i). At most 1,000 characters, compiled within 1 MiB. Copies share the compiled program;
// matching is safe on several threads.
#pragma once

#include <memory>
#include <string_view>

#include "core/result.h"

namespace re2 {
class RE2;
}

namespace notesdb {

class Pattern {
 public:
  // Fails with invalid_value, saying what is wrong with the pattern.
  static Result<Pattern> parse(std::string_view text);

  bool matches(std::string_view text) const;
  // Whether both were written the same.
  friend bool operator==(const Pattern& a, const Pattern& b);

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> program) : program_(std::move(program)) {}
  std::shared_ptr<const re2::RE2> program_;
};

}  // namespace notesdb
