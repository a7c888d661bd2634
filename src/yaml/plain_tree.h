// Plain tree: reads the nested values that people really write in schemas, and leaves every other
// to the full reader (yaml/reader.h), which takes ten times as long.
//
//   columns:                                   # lists and maps in blocks, one below the other
//     - { id: due, type: date }                # or between brackets, on one line
//     - id: status
//       options: [open, "in work", done]
//
// Scalars are words of ASCII on one line, or stand in quotes without escapes. What is read here is
// read the same by the full reader; whatever might not be, valid or not, is not read at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "yaml/node.h"

namespace notesdb {

// The value of one field from its lines, as read_field has them. Empty where it is not plain.
std::optional<Node> read_plain_tree(std::string_view lines,
                                    std::size_t key_end,
                                    std::uint32_t first_line);

}  // namespace notesdb
