// Store aside: moving a `.notesdb` that is not ours (store.h) out of the way, unread.
//
// It goes beside the place first, and from there into the new store as `foreign-N`, where git does
// not see it. A folder of another user cannot be moved into another folder: that one stays beside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/root.h"

namespace notesdb {

inline constexpr std::string_view store_aside_prefix = "foreign-";

// The names in an open folder, but for "." and "..".
Result<std::vector<std::string>> names_in_folder(int folder);

// Whether this file or folder is what `.notesdb` names in the root.
bool is_store_at(const Root& root, std::uint64_t device, std::uint64_t inode);

// Moves what is there beside its place, and tells under which name; empty if somebody else has
// moved it. `base` is it, opened, or -1. Waits for a program of this user that holds its lock: busy
// after five seconds. Fails with io_error where it cannot be moved; `why` it is foreign is said.
Result<std::string> move_store_aside(const Root& root, int base, const std::string& why);

// From there into the new store; what cannot be moved stays.
void move_store_into(const Root& root, int base, const std::string& name);

}  // namespace notesdb
