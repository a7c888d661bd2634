// Pattern: a regular expression (RE2 syntax) whose time is bounded by the text and by itself.
//
// It is found anywhere in a text unless it says ^ and $; upper and lower case differ unless it
// says (?i). At most 1,000 characters and 10,000 instructions. A text that is long for so many
// instructions (8 MiB for one, 8 KiB for the most) is looked at in pieces that overlap by half,
// so that a match longer than half a piece may be missed there; between two pieces the budget
// (core/budget.h) is looked at. Copies share the compiled program; matching is safe on several
// threads.
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
  // The length of text that is looked at as one piece.
  std::size_t piece_bytes() const { return piece_bytes_; }
  // Whether both were written the same.
  friend bool operator==(const Pattern& a, const Pattern& b);

 private:
  Pattern(std::shared_ptr<const re2::RE2> program, std::size_t piece_bytes)
      : program_(std::move(program)), piece_bytes_(piece_bytes) {}
  std::shared_ptr<const re2::RE2> program_;
  std::size_t piece_bytes_;
};

}  // namespace notesdb
