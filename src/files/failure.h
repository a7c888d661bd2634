// The errors of this module, made where the file is known by its path relative to the root.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/etag.h"

namespace notesdb {

// What errno means, in the words of the system: "no space left on device".
std::string errno_words(int error);

// A path as messages show it: control characters escaped, quotes around.
std::string quoted(std::string_view path);

// What the system's errno means for somebody who wanted to `verb` the file at `path`: unknown_row,
// path_not_allowed, already_exists, or io_error in the system's words.
Error failure(int error, std::string_view verb, std::string_view path);

// The file holds something else than the caller has read; `now` is empty when it is gone.
Error conflict(std::string_view path, const Etag* now);

Error busy(std::string message);

}  // namespace notesdb
