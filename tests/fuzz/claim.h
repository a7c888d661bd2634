// What a fuzzer holds to be true; where it is not, it stops with the input that shows it.
#pragma once

#include <cstdlib>

inline void require(bool claim) {
  if (!claim) std::abort();
}
