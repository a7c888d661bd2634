// Linear time: whether twice the input takes twice the work, for tests of readers.
//
//   CHECK(growth([](std::size_t size) { return fill("[[", size); }, read) < notesdb::max_growth);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace notesdb {

// For twice the input: linear, with room for what memory costs beyond the caches of a machine that
// does other things too. What grows with the power of one and a half has 2.8; tests/security has the
// strict figure, of the program.
inline constexpr double max_growth = 2.6;

inline std::string fill(std::string_view text, std::size_t size) {
  std::string filled;
  filled.reserve(size + text.size());
  while (filled.size() < size)
    filled += text;
  return filled;
}

// Seconds that this thread works, whatever others do.
template <typename Read>
double work_of(const std::string& input, const Read& read, int runs) {
  const auto now = [] {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const double begun = now();
    read(input);
    least = std::min(least, now() - begun);
  }
  return least;
}

// How much longer `read` works for twice the input, over two doublings up to `largest` bytes. What
// takes less than a few milliseconds in all is no growth. The least of several tries.
template <typename Make, typename Read>
double growth(const Make& make, const Read& read, std::size_t largest = std::size_t{240} << 10U) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // A sanitizer's own work is no measure of ours: the input is read, and that is all.
  read(make(largest / 16));
  return 1;
#else
  constexpr double nothing = 0.004;
#ifdef __GLIBC__
  // Memory is kept between the runs, so that no run waits for fresh pages.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  const std::string large = make(largest);
  const std::string small = make(largest / 4);
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 6 && least > max_growth; ++attempt) {
    const double most = work_of(large, read, 3);
    if (most < nothing) return 1;
    least = std::min(least, std::sqrt(most / work_of(small, read, 5)));
  }
  return least;
#endif
}

}  // namespace notesdb
