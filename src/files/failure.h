// Failures: the errors of this module, made where the file is known by its path relative to the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

// The error with these said in its message and listed in its data, after those that it has.
Error with_warnings(Error error, const std::vector<std::string>& warnings);

// What an attempt at a change had to say that failed and is made again. Another program's version
// may have been put aside beside its row, and the answer that ends the attempts, be it done or
// refused, must say where.
class UntoldWarnings {
 public:
  // Of an attempt that is not the last.
  void keep(const Error& error);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;
};

}  // namespace notesdb
