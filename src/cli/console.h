// Console: standard output and standard error as commands use them.
//
// Data goes to `out`, in one buffer that is written at the end; words about it go to `err`. A
// reader that goes away is a normal end; any other failure to write is told. Text from files is
// made safe for a terminal by whoever knows its form (see cli/terminal.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb::cli {

enum class Stream { out, err };

// Writes to this process's own stream. False if it could not be written, other than because nobody
// reads it any more.
bool write_to(Stream stream, std::string_view text);

// Who reads standard output.
struct Reader {
  bool is_terminal = false;
  int width = 0;   // of a line, in cells; 0 where lines have no end
  int height = 0;  // of a screen, in lines; 0 where it is not known
};
Reader reader_of_process();

class Console {
 public:
  using Write = std::function<bool(Stream, std::string_view)>;

  // On the streams of this process.
  Console() : Console(reader_of_process(), write_to) {}
  // On those of somebody else.
  Console(Reader reader, Write write) : reader_(reader), write_(std::move(write)) {}

  void out(std::string_view text) { buffer_ += text; }
  // A sentence on standard error, control characters escaped, with its line end.
  void err(std::string_view sentence);

  // Writes what was put out so far. False as write_to says it, and from then on.
  bool flush();

  // What is to be done once the answer is written, so that nobody waits for it.
  void afterwards(std::function<void()> work) { afterwards_.push_back(std::move(work)); }
  void do_afterwards();

  // Whether text is coloured; it is not before that is said.
  void set_colours(bool are_wanted) { has_colours_ = are_wanted; }
  bool has_colours() const { return has_colours_; }

  // Whether a person is looking at standard output.
  bool is_terminal() const { return reader_.is_terminal; }
  // How many cells a line has; 0 where lines have no end.
  int width() const { return reader_.width; }

 private:
  std::string buffer_;
  std::vector<std::function<void()>> afterwards_;
  Reader reader_;
  Write write_;
  bool has_colours_ = false;
  bool is_written_ = true;  // all that was put out
};

// All of standard input.
std::string read_standard_input();

// The text of a file that a person named, or of standard input for "-". Fails with io_error.
Result<std::string> read_text(const std::string& path);

}  // namespace notesdb::cli
