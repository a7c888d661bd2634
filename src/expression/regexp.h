// Regexp: a regular expression of an expression, /text/flags, on RE2.
//
// JavaScript's syntax as far as time stays in proportion to the text: look-ahead, look-behind and
// references back are refused by name. Flags: g (replace all), i, m, s, u.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace notesdb::expression {

class Regexp {
 public:
  // Throws Failure, saying what is wrong with the pattern or which flag is unknown.
  Regexp(std::string_view pattern, std::string_view flags);

  bool matches(std::string_view text) const;
  // `$1` and `$&` in the replacement stand for what was found. Fails where the result would be
  // longer than max_bytes.
  std::string replaced(std::string_view text,
                       std::string_view replacement,
                       std::size_t max_bytes) const;
  // What stands between the matches, and what their groups found.
  std::vector<std::string> split(std::string_view text, std::size_t max_pieces) const;
  std::string written() const { return "/" + pattern_ + "/" + flags_; }
  // How much work one match may be, in steps of an evaluation.
  std::size_t cost(std::size_t text_bytes) const;

 private:
  std::string pattern_;
  std::string flags_;
  bool is_global_ = false;
  std::shared_ptr<const re2::RE2> program_;
};

}  // namespace notesdb::expression
