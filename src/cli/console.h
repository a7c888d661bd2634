// Console: standard output and standard error as commands use them.
//
// Data goes to `out`, in one buffer that is written at the end; words about it go to `err`. A
// reader that goes away is a normal end; any other failure to write is told. Text from files is
// made safe for a terminal by whoever knows its form (see cli/terminal.h).
#pragma once

#include <string>
#include <string_view>

namespace notesdb::cli {

class Console {
 public:
  Console();

  void out(std::string_view text) { buffer_ += text; }
  // A sentence on standard error, control characters escaped, with its line end.
  void err(std::string_view sentence);

  // Writes what was put out so far. False if it could not be written, other than because nobody
  // reads it any more.
  bool flush();

  // Whether a person is looking at standard output.
  bool is_terminal() const { return is_terminal_; }
  // How many cells a line has; 0 where lines have no end.
  int width() const { return width_; }

 private:
  std::string buffer_;
  bool is_terminal_ = false;
  int width_ = 0;
};

// All of standard input.
std::string read_standard_input();

}  // namespace notesdb::cli
