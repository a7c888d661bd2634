// YAML reader: what the plain scanner leaves over, through yaml-cpp after a gate of ours.
//
// yaml-cpp alone takes a third of all broken documents without a word: unclosed quotes, text
// left over after a value, duplicate keys. So nothing is accepted here before the bytes are
// UTF-8 without control characters, exactly one document is read to its end, every quote is
// closed, every nested key is there once and depth and size stay within reason. Anchors, aliases
// and tags are not read: no file has them for a reason a table could use, and walking them can
// take forever. Types are not decided here.
//
// This is the only module, and its source the only file, that knows yaml-cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace notesdb {

// Why a text is not read, and where: line and column of the file.
struct YamlProblem {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;  // one sentence: what is wrong and what would fix it
};

struct FieldReading {
  Node node;
  std::optional<YamlProblem> problem;  // then the node is of no use
};

// Reads the value of one field from its lines: a key at column 0 and what belongs to it, whose
// colon ends at `key_end`. `first_line` is the file's line of the key.
FieldReading read_field(std::string_view lines, std::size_t key_end, std::uint32_t first_line);

}  // namespace notesdb
