// Process: the real program as a user runs it: arguments and environment in, streams out.
//
//   Finished done = run({program(), "list", "--json"}, {});
//   Process server({program(), "mcp"}, {});   // kept open, a line in, a line out
//
// Every child gets a clean environment (no NOTESDB_*, a cache folder of its own), so that a test
// gives the same answer on every machine. A child that does not answer within the deadline is
// ended and the test fails with what it said so far.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace notesdb::driving {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

// The `notesdb` of this build.
std::string program();

// A program that has ended.
struct Finished {
  int exit_code = -1;  // 128 + the signal where one ended it
  std::string out;
  std::string err;
};

constexpr std::chrono::seconds kDeadline{60};

// Runs a program to its end. Standard input is `input`, then closed.
Finished run(const Words& words, const Environment& extra, const std::string& input = "");

// Whether a program of this name can be started; for oracles that are not everywhere.
bool is_installed(const std::string& name);

// A program that is kept running and spoken to line by line.
class Process {
 public:
  Process(const Words& words, const Environment& extra);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Throws std::runtime_error if the program does not read.
  void write_line(const std::string& line);
  // The next line of standard output, without its end; empty at the end of the stream. Throws
  // std::runtime_error, with what stands on standard error, when the deadline passes.
  std::optional<std::string> read_line();
  // Closes standard input and waits for the end.
  Finished finish();

 private:
  bool wait_for_output();

  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string errors_path_;
  std::string unread_;
};

}  // namespace notesdb::driving
