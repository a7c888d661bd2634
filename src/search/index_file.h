// IndexFile: where the index of a workspace lies:
// $XDG_CACHE_HOME/notesdb/<workspace>/search-fts5-<index_version>.sqlite, under ~/.cache where the
// variable is not set. Never inside the workspace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database/workspace.h"

namespace notesdb::search {

// Makes the folder, for nobody else to read. Empty where there is no cache folder or none is
// wanted.
std::optional<std::string> index_file(const Workspace& workspace);

// Tells the file from another one that takes its place; 0 where there is none.
std::uint64_t identity_of(const std::string& path);

// Removes the file and what SQLite keeps beside it.
void remove_index(const std::string& path);

}  // namespace notesdb::search
