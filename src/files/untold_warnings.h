// UntoldWarnings: what an attempt at a change had to say that failed and is made again. Another
// program's version may have been put aside beside its row, and the answer that ends the attempts,
// be it done or refused, must say where.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace notesdb {

// The error with these said in its message and listed in its data, after those that it has.
Error with_warnings(Error error, const std::vector<std::string>& warnings);

class UntoldWarnings {
 public:
  // Of an attempt that is not the last.
  void keep(const Error& error);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;
};

}  // namespace notesdb
