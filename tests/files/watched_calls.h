// WatchedCalls: what the room asks of the kernel, seen, delayed and refused by a test.
//
//   WatchedCalls calls;
//   calls.at("exchange", 1, [&] { folder.put("tasks/row.md", "theirs"); });
//   calls.refuse("sync folder tasks", EIO);
//
// The program of these tests has its own fsync, syncfs, renameat2, linkat, flock, write and fcntl
// in front of the C library's. While an object of this class lives they keep its log, in these
// words:
//
//   sync file in FOLDER     sync folder FOLDER     sync file system
//   exchange                move (never over another file)
//   link (an unnamed file)  lock                   unlock      lease
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace notesdb {

class WatchedCalls {
 public:
  WatchedCalls();
  ~WatchedCalls();
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;

  // Does something just before the call comes for the nth time, counted from 1.
  void at(const std::string& call, int nth, std::function<void()> action);
  // Lets a call fail, always or for the first so many times.
  void refuse(const std::string& call, int error, int times = 1'000);
  // Every write stops half-way.
  void write_halves() { halves_ = true; }

  const std::vector<std::string>& log() const { return log_; }
  int count(const std::string& call) const;
  // Whether the log holds these calls in this order, with any others between.
  bool in_order(const std::vector<std::string>& calls) const;

  // For the calls themselves: 0, or the error with which this one is to fail.
  int tell(const std::string& call);
  std::size_t shortened(std::size_t length) const;
  static WatchedCalls* now();

 private:
  std::vector<std::string> log_;
  std::map<std::pair<std::string, int>, std::function<void()>> actions_;
  std::map<std::string, std::pair<int, int>> refusals_;
  bool halves_ = false;
};

}  // namespace notesdb
