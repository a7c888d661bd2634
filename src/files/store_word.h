// Store word: the secret by which a store (store.h) is known to be made by this user, here.
//
//   $XDG_STATE_HOME/notesdb/stores/<inode of the root>     else ~/.local/state/...
//     3f..(32 hex digits) <TAB> device of the root <TAB> path of the root
//
// A folder that was cloned, unpacked or copied brings a store with it as any other file; it cannot
// bring this. The word belongs to the root's inode: a workspace that was moved keeps it, a copy has
// none. Device and path stand beside it because neither lasts: devices are numbered again when a
// machine starts, paths change with a move. Either of them is enough.
//
// The folder is ours alone (0700), or it is not used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/root.h"

namespace notesdb {

// Whether the text has the form of a word.
bool is_store_word(std::string_view text);

// 128 bits of chance.
std::string new_store_word();

// The folder that the words lie in; empty where neither variable names one.
std::string store_word_folder();

// The word of this root; none if it has none yet. Fails, saying why, where words cannot be kept:
// there is no such folder, or it is not ours alone.
Result<std::optional<std::string>> find_store_word(const Root& root);

// The same, made where there is none.
Result<std::string> make_store_word(const Root& root);

}  // namespace notesdb
