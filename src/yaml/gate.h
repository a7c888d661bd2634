// YAML gate: what YAML refuses and yaml-cpp takes without a word, found in the text itself.
//
// Each check looks at the text where a value or a key begins, and says what is wrong there; nothing
// where it is sound. how_to_fix says what a person should change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

struct YamlLimits {
  static constexpr int depth = 32;
  static constexpr std::size_t nodes = 10000;
};

struct YamlRefusal {
  std::size_t position = 0;  // in the text
  std::string message;       // what is wrong and what would fix it
};

// The first byte that no YAML text may have.
std::optional<YamlRefusal> check_bytes(std::string_view text);

// The quotes that open at `begin`, in a list or map whose own lines are indented by
// `parent_indent`: closed, no unknown escape, every line deeper than that and by no tab.
std::optional<YamlRefusal> check_quotes(std::string_view text,
                                        std::size_t begin,
                                        std::size_t parent_indent);

// The brackets that open at `begin`: closed, and a comment after them has its space.
std::optional<YamlRefusal> check_brackets(std::string_view text, std::size_t begin);

// The same brackets, before yaml-cpp sees them, which reads them to their end before it tells of
// the first: not too deep, and not too many values.
std::optional<YamlRefusal> check_size(std::string_view text, std::size_t begin);

// A null at `at` among the items in brackets: `[a, , b]` has none between its commas.
std::optional<YamlRefusal> check_null_item(std::string_view text, std::size_t at);

// A key at `begin`, on a line of its own, that has no value: a line of words is not a key.
std::optional<YamlRefusal> check_key_alone(std::string_view text, std::size_t begin);

struct BlockTextProblem {
  std::size_t position = 0;
  std::string message;
};

// What YAML demands of `|` and `>` and yaml-cpp does not ask for:
//
//   key: |2-   # why        the header: an indent, what becomes of the end, then a space before '#'
//     text                  the first line of text; no blank line above it is indented deeper
//
// `begin` is where the header begins in `text`; lines of the text are indented by more than
// `parent_indent`. Empty where nothing is wrong.
std::optional<BlockTextProblem> check_block_text(std::string_view text,
                                                 std::size_t begin,
                                                 std::size_t parent_indent);

// Of `{{title}}`, which a template left.
inline constexpr std::string_view template_problem =
    "a value that begins with '{{' is a map to YAML; quote it";

struct Fixing {
  std::size_t position = 0;  // in the field's lines
  std::string message;
};

// What a person should change where a value is not YAML, for the mistakes people really make: an
// unquoted `: `, a value that begins with `@`, quotes inside quotes, `[#a]`.
//
// `position` and `reason` are where and why a reader gave up; they are used when no known mistake
// is found.
Fixing how_to_fix(std::string_view lines,
                  std::size_t key_end,
                  std::size_t position,
                  std::string_view reason);

}  // namespace notesdb
