// Depth: how many folders within one another are looked into.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace notesdb {

// No person nests as deep. Every look at a folder goes through all that are above it, so that a
// chain of thousands would be looked at millions of times.
inline constexpr std::ptrdiff_t max_folder_depth = 64;

// Whether a folder of this path, from the root of the workspace, is too deep to be looked into.
inline bool is_too_deep(std::string_view folder) {
  return std::ranges::count(folder, '/') >= max_folder_depth;
}

}  // namespace notesdb
