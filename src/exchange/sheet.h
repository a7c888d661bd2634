// Sheet: rows and columns of values, on their way out to a file of another program.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"

namespace notesdb {

struct Sheet {
  std::vector<std::string> columns;
  // A cell for each column; null where a row has no such value.
  std::vector<std::vector<Value>> rows;
};

}  // namespace notesdb
