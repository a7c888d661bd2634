// TOML reader: the values of a TOML front matter as nodes, through toml++.
//
// Strings become quoted nodes and so are text in every column; numbers, truth values and dates are
// plain, spelled as YAML spells them, so that a column takes them as it takes YAML's. Tables are
// maps, wherever their parts stand.
//
// This is the only module, and its source the only file, that knows toml++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"
#include "yaml/reader.h"

namespace notesdb {

struct TomlReading {
  std::vector<NodeMember> members;     // the keys of the root in the order of the text
  std::optional<YamlProblem> problem;  // then there are no members
};

// `first_line` is the file's line of the text's first.
TomlReading read_toml(std::string_view text, std::uint32_t first_line);

}  // namespace notesdb
