// WaitingMark: says that the new files of a change lie waiting in the store, as long as the process
// that made them lives.
//
// It is `.notesdb/intent/<change>.waiting`, which holds how many files there may be, and which the
// process keeps locked. Where nobody does, the process has died; unless the change was recorded,
// which comes after all files are made, it never happened, and its files are in nobody's way but on
// the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "files/descriptor.h"
#include "files/store.h"

namespace notesdb {

class WaitingMark {
 public:
  WaitingMark() = default;
  WaitingMark(const WaitingMark&) = delete;
  WaitingMark& operator=(const WaitingMark&) = delete;
  // The mark goes with the object; with a process that dies it stays.
  ~WaitingMark() { remove(); }

  // `folder` is the intent folder, and outlives this. Where there can be no mark, files that are
  // left stay for a day.
  void place(int folder, std::string_view change, std::size_t files);
  void remove();

 private:
  int folder_ = -1;
  std::string name_;
  Descriptor file_;
};

// Removes the waiting files of changes that never happened, until `deadline` has passed. False:
// there are more. The store is ours.
bool clear_abandoned(const Store& store, std::chrono::steady_clock::time_point deadline);

}  // namespace notesdb
