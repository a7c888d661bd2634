// Whole numbers as JSON of ours has them: what others would round is text.
#pragma once

#include <cstdint>

namespace notesdb {

// Whether every reader of JSON takes it for this very number.
constexpr bool exact_in_json(std::int64_t number) {
  constexpr std::int64_t max_exact = std::int64_t{1} << 53;
  return number <= max_exact && number >= -max_exact;
}

}  // namespace notesdb
