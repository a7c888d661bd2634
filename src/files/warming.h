// Warming: many threads that ask the disk for files which are about to be read.
//
// A file that is not in memory costs a wait for the disk, and two readers wait one after the other.
// A disk answers many requests in hardly more time than one, so others go ahead of the readers,
// open each file and have its bytes fetched. Nothing is read here, and nothing that goes wrong
// matters: the readers find the same files, only later.
//
//   Warmth warmth;
//   for (...) warmth.time([&] { read a file });  // a few of them
//   if (warmth.is_cold()) warming.emplace(folder, names of the others);
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace notesdb {

// Whether the files read so far came from memory, by the time each of them took.
class Warmth {
 public:
  template <typename Read>
  auto time(const Read& read) {
    const auto begun = std::chrono::steady_clock::now();
    auto result = read();
    ++files_;
    // From memory it is 2 to 5 microseconds, from the fastest of disks 50 and more.
    if (std::chrono::steady_clock::now() - begun > std::chrono::microseconds(25)) ++slow_;
    return result;
  }
  // More than half were slow: one of them may just have met another program.
  bool is_cold() const { return slow_ * 2 > files_; }

 private:
  std::size_t files_ = 0;
  std::size_t slow_ = 0;
};

class Warming {
 public:
  // Bare names of files in an open folder; both must outlive the warming, which ends when all were
  // asked for or it is destroyed.
  Warming(int folder, std::span<const char* const> names);
  ~Warming();
  Warming(const Warming&) = delete;
  Warming& operator=(const Warming&) = delete;

 private:
  void run();

  int folder_;
  std::span<const char* const> names_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

}  // namespace notesdb
