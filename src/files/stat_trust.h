// When a stat key may be trusted: git's rule for racy time stamps, made stricter.
//
// A file system's clock ticks as slowly as every 4 ms, and some every 2 s, so two saves may bear
// one stamp. A reading counts as sure only if the newest stamp was older than two seconds when it
// was made; a stamp in the future never counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "files/file_system.h"

namespace notesdb {

inline std::int64_t clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Whether a reading begun at `read_at` (clock_ns) is told from every later state by its key.
inline bool is_sure(const StatKey& key, std::int64_t read_at) {
  constexpr std::int64_t racy_ns = 2'000'000'000;
  return std::max(key.mtime_ns, key.ctime_ns) + racy_ns < read_at;
}

}  // namespace notesdb
