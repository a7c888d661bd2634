// Names: which texts may name a file below the workspace root, and which files are not rows.
//
// A path here is text relative to the root, segments joined by '/', never '.', '..' or empty, never
// absolute, without backslash and NUL; "." alone is the root itself. Reading accepts every such
// path, because a person may have any file; creating is stricter, because a name made here travels
// through git and sync to every other system. Both checks look at the text only; the disk checks
// again when it opens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

// Bytes a file name made here may have: room below 255 for what editors and sync programs append.
inline constexpr std::size_t longest_new_name = 180;

// Fails with path_not_allowed unless `path` is a relative path as above. "." passes.
Result<void> check_path(std::string_view path);

// Fails with path_not_allowed unless `name` (one segment, with its ending) may be given to a new
// file or folder on every system: UTF-8 in NFC, 1 to 180 bytes, no control, bidi or zero-width
// characters, none of <>:"/\|?*, no leading '-', '.', '~' or space, no trailing dot or space, no
// name Windows reserves (CON, aux.txt).
Result<void> check_new_name(std::string_view name);

// check_path for the whole and check_new_name for every segment.
Result<void> check_new_path(std::string_view path);

// Two names are one file on a folding file system when these are equal: NFC, simple case folding.
std::string folded_name(std::string_view name);

// The folder of a path ("." at the top), its last segment, and a folder and name put together.
std::string_view folder_of(std::string_view path);
std::string_view name_in(std::string_view path);
std::string join_path(std::string_view folder, std::string_view name);

// The name without its ending and the ending with its dot: "a.b.md" is "a.b" and ".md". A name that
// is nothing but an ending (".md") has none.
std::string_view stem_of(std::string_view name);
std::string_view ending_of(std::string_view name);

// Whether the name is what an editor or a sync program drops beside a file while it works: swap,
// lock, backup, reject and partial-transfer files. They are never rows.
bool is_dropping(std::string_view name);

// Whether the name is a copy that a sync program, or notesdb itself, put aside because two sides
// changed one file: "x.sync-conflict-...md", "x (Bob's conflicted copy ...).md", "x (conflict
// ...).md". Never a row, never dropped: listed apart.
bool is_conflict_copy(std::string_view name);

// Whether a folder is passed over when databases are looked for: a leading dot, node_modules,
// assets.
bool is_skipped_folder(std::string_view name);

// How many folders within one another are looked into. No person nests as deep. Every look at a folder goes through all that are above it, so that a
// chain of thousands would be looked at millions of times.
inline constexpr std::ptrdiff_t max_folder_depth = 64;

// Whether a folder of this path, from the root of the workspace, is too deep to be looked into.
inline bool is_too_deep(std::string_view folder) {
  return std::ranges::count(folder, '/') >= max_folder_depth;
}

}  // namespace notesdb
