// Waiting: tells a person that a command is still running.
//
//   notesdb check: 3 s                  from the first second on, on standard error, rewritten
//
// The line takes itself back before anything else is printed. Nothing is said where standard error
// is no terminal, and by a server that works for somebody else's command.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/command.h"

namespace notesdb::cli {

class Waiting {
 public:
  Waiting(const Session& session, const std::string& command);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();

 private:
  void count(const std::string& command);

  std::mutex mutex_;
  std::condition_variable ending_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace notesdb::cli
