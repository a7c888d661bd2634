// Infer column: the column that the values under one key make.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/column.h"
#include "infer/observed.h"

namespace notesdb {

// A value that is not as the others are.
struct InvalidValue {
  const Observation* value;
  std::string message;
};

struct InferredColumn {
  Column column;
  std::vector<InvalidValue> invalid_values;
};

// The database whose rows most of these texts name; empty if there is none.
using FindTarget = std::function<std::optional<std::string>(const std::vector<std::string>&)>;

// `notes` is how many there are in all.
InferredColumn infer_column(const std::string& key,
                            const ObservedKey& seen,
                            std::size_t notes,
                            const FindTarget& find_target);

}  // namespace notesdb
