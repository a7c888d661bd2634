// Glob: a pattern of paths, as the include and exclude lists of a schema write it.
//
//   *       any run of bytes within one folder name      notes/*.md
//   ?       one character, never a slash
//   [a-z]   one character of a set; [!a-z] one outside it
//   **      any number of folders, also none             **/*.md   archive/**
//   \x      the character x itself
//
// A pattern matches the whole path, from the folder of the database. Matching takes time in
// proportion to path length times pattern length, whatever the pattern: there is no backtracking.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

class Glob {
 public:
  // Fails with invalid_argument for an empty or absolute pattern, an unclosed set, or one with
  // more than 1,000 bytes.
  static Result<Glob> parse(std::string_view pattern);

  bool matches(std::string_view path) const;
  // Whether a path below this folder could match: false lets a walk skip the folder.
  bool may_match_below(std::string_view folder) const;

 private:
  enum class StepKind { character, any_character, set, star, folders, everything };
  struct Range {
    char32_t first = 0;
    char32_t last = 0;
  };
  struct Step {
    StepKind kind = StepKind::character;
    char32_t character = 0;
    bool negated = false;
    std::vector<Range> ranges{};
  };
  // Which steps are waiting for the next character; one past the last means matched.
  using Active = std::vector<bool>;

  static Result<Step> parse_set(const std::u32string& pattern, std::size_t& at);
  static bool accepts(const Step& step, char32_t character);
  Active run(std::string_view path) const;
  void enter(Active& active, std::size_t step) const;
  void advance(std::size_t step, char32_t character, Active& next) const;

  std::vector<Step> steps_;
};

}  // namespace notesdb
