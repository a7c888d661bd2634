// Guarantees: which of the means of the write protocol this file system has, found by trying them.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "files/root.h"

namespace notesdb {

struct Guarantee {
  std::string name;  // lease, exchange, ...
  bool holds = false;
  std::string without;  // one sentence: what is smaller where it does not hold
};

// Tries each in `.notesdb`, which is made for it where there is none, and leaves nothing after.
Result<std::vector<Guarantee>> probe_guarantees(const Root& root);

}  // namespace notesdb
