// Count: a number with its noun: "1 row", "2 rows".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace notesdb {

inline std::string count_of(std::integral auto count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace notesdb
