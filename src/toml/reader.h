// TOML reader: the values of a TOML front matter as nodes, through toml++.
//
// Strings become quoted nodes and so are text in every column; numbers, truth values and dates are
// plain, spelled as YAML spells them, so that a column takes them as it takes YAML's. Tables are
// maps, wherever their parts stand.
//
// This is the only module, and its source the only file, that knows toml++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"
#include "yaml/reader.h"

namespace notesdb {

// Where the statements of a TOML front matter are in its text, before any is judged.
//
//   title = "Dune"   # why      a pair: its key, its value
//   sizes = [                   a value may go over lines
//     1, 2
//   ]
//   a.b = 1                     dotted: one part of a table that may stand elsewhere too
//   [params]                    from the first header to the end all pairs belong to tables
//
// Only pairs above the first header can be changed in place; what the rest means is for
// read_toml to say.
struct TomlPair {
  std::string key;  // decoded; of a dotted one its first part; empty for a line without `=`
  bool dotted = false;
  bool broken = false;      // no key, no value, or text after it; `lines` is all that is known
  std::uint32_t line = 0;   // from 0
  Span lines;               // whole lines
  std::size_t key_end = 0;  // after the `=`
  Span value;
};

struct TomlText {
  std::vector<TomlPair> pairs;   // above the first header
  std::size_t tables_begin = 0;  // of the first header's line; the text's size without one
  std::uint32_t tables_line = 0;
};

TomlText split_toml(std::string_view text);

// The items of an array that goes over lines, each as it is spelled; empty where comments stand
// among them, or where it is no array.
std::optional<std::vector<std::string_view>> items_of_toml_array(std::string_view array);

struct TomlReading {
  std::vector<NodeMember> members;     // the keys of the root in the order of the text
  std::optional<YamlProblem> problem;  // then there are no members
};

// `first_line` is the file's line of the text's first.
TomlReading read_toml(std::string_view text, std::uint32_t first_line);

}  // namespace notesdb
