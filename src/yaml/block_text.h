// Block text: what YAML demands of `|` and `>` and yaml-cpp does not ask for.
//
//   key: |2-   # why        the header: an indent, what becomes of the end, then a space before '#'
//     text                  the first line of text; no blank line above it is indented deeper
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

struct BlockTextProblem {
  std::size_t position = 0;
  std::string message;
};

// `begin` is where the header begins in `text`; lines of the text are indented by more than
// `parent_indent`. Empty where nothing is wrong.
std::optional<BlockTextProblem> check_block_text(std::string_view text,
                                                 std::size_t begin,
                                                 std::size_t parent_indent);

}  // namespace notesdb
