// YAML fixing: what a person should change where a value is not YAML, for the mistakes people
// really make: an unquoted `: `, a value that begins with `@`, quotes inside quotes, `[#a]`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace notesdb {

// Of `{{title}}`, which a template left.
inline constexpr std::string_view template_problem =
    "a value that begins with '{{' is a map to YAML; quote it";

struct Fixing {
  std::size_t position = 0;  // in the field's lines
  std::string message;
};

// `position` and `reason` are where and why a reader gave up; they are used when no known mistake
// is found.
Fixing how_to_fix(std::string_view lines,
                  std::size_t key_end,
                  std::size_t position,
                  std::string_view reason);

}  // namespace notesdb
