// Stdio: one message a line on `in`, one answer a line on `out`, and nothing else there.
//
// Threads take turns at reading: the one that has read a line leaves the reading to the next and
// runs the call itself, so that no call waits for another and none changes threads on its way.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "mcp/server.h"

namespace notesdb::mcp {

// LineReader: the lines of a descriptor, one JSON message each, with a bound on what one may hold.
class LineReader {
 public:
  LineReader(int descriptor, std::size_t longest) : descriptor_(descriptor), longest_(longest) {}

  // The next line that is not space, without its end, cut to just over `longest` bytes if it was
  // longer; empty at the end of input. Blocks. A last line without its end counts. Where memory runs
  // out nothing is lost, and it may be called again.
  std::optional<std::string> next();

 private:
  bool fill();

  int descriptor_;
  std::size_t longest_;
  std::array<char, std::size_t{16} << 10> arriving_{};
  std::string buffer_;
  std::size_t begin_ = 0;    // of what has not been given out
  std::size_t scanned_ = 0;  // up to here there is no line end
};

// Serves until `in` ends; calls under way then get two seconds to finish. False if some have not:
// their threads still use `server`, so that the program should end at once (std::_Exit).
// A client that goes away is no signal: SIGPIPE is ignored from here on.
bool serve_stdio(Server& server, int in, int out);

}  // namespace notesdb::mcp
