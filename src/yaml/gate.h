// YAML gate: what YAML refuses and yaml-cpp takes without a word, found in the text itself.
//
// Each check looks at the text where a value or a key begins, and says what is wrong there; nothing
// where it is sound. Block texts have a file of their own (block_text.h).
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

}  // namespace notesdb
